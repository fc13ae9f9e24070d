// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleSignInButton

print(GoogleSignInButtonHTML.self)
