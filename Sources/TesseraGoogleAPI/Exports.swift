// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Whoever calls an API speaks of JSON where the API takes any, and of requests and bodies.
@_exported public import TesseraFetch
@_exported public import TesseraJSON
