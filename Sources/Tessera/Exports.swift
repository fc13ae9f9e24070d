// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Scopes, secrets and OAuth errors are part of this module's API, so importing Tessera also imports TesseraOAuth.
@_exported public import TesseraOAuth
