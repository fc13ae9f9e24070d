// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import SwiftUI
import TesseraGoogleSignIn

/// Signs a user in with Google and lists the files in the user's Drive.
@main
struct DriveApp: App {
    @State private var account = Account()

    var body: some Scene {
        WindowGroup {
            FilesView(account: self.account)
                .onOpenURL { GIDSignIn.sharedInstance.handle($0) }
                .task { await self.account.restore() }
        }
    }
}
