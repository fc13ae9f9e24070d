// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Calls are made of requests, responses and header fields.
@_exported public import HTTPTypes
