// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Whoever makes a call speaks of requests, responses and header fields.
@_exported public import HTTPTypes
