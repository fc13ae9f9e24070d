// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// In Google's library, the button is part of the same module.
@_exported public import TesseraSignInButton
