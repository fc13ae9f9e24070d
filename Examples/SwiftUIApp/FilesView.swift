// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import SwiftUI
import TesseraGoogleSignIn

/// Shows the sign-in button, and the user's files after sign-in.
struct FilesView: View {
    let account: Account

    var body: some View {
        VStack(spacing: 16) {
            if let user = self.account.user {
                Text(user.profile?.email ?? "Signed in")
                if user.grantedScopes?.contains(DriveFile.scope) == true {
                    List(self.account.files) { file in Text(file.name) }
                } else {
                    Button("Show my Drive files") { self.account.addDrive() }
                }
                Button("Sign out") { self.account.signOut() }
            } else {
                GoogleSignInButton { self.account.signIn() }
            }
            if let problem = self.account.problem { Text(problem) }
        }
        .padding(16)
    }
}
