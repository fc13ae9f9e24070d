// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import OriginalClient
import TesseraGoogleSignIn

GIDSignIn.sharedInstance.configuration = GIDConfiguration(clientID: "both.apps.googleusercontent.com")
print("Tessera:", GIDSignIn.sharedInstance.configuration?.clientID ?? "none")
print("Originals:", OriginalClient.description)
