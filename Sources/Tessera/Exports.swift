// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// A program that signs people in speaks of scopes, secrets and the protocol's errors all the time: they come along.
@_exported public import TesseraOAuth
