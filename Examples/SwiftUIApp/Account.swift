// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Observation
import TesseraGoogleSignIn

/// The signed-in user and what the app shows.
@MainActor
@Observable
final class Account {
    private(set) var user: GIDGoogleUser?
    private(set) var files: [DriveFile] = []
    private(set) var problem: String?

    /// Restores the session from a previous launch, even offline.
    func restore() async {
        guard GIDSignIn.sharedInstance.hasPreviousSignIn() else { return }
        await self.showing { try await GIDSignIn.sharedInstance.restorePreviousSignIn() }
    }

    func signIn() {
        guard let presenter = Presenter.current else { return }
        Task {
            await self.showing { try await GIDSignIn.sharedInstance.signIn(withPresenting: presenter).user }
        }
    }

    /// Requests access to Drive when the app needs it.
    func addDrive() {
        guard let presenter = Presenter.current, let user = self.user else { return }
        Task {
            await self.showing { try await user.addScopes([DriveFile.scope], presenting: presenter).user }
        }
    }

    func signOut() {
        GIDSignIn.sharedInstance.signOut()
        self.user = nil
        self.files = []
    }

    private func showing(_ work: () async throws -> GIDGoogleUser) async {
        self.problem = nil
        do {
            let user = try await work()
            self.user = user
            guard user.grantedScopes?.contains(DriveFile.scope) == true else { return }
            self.files = try await DriveFile.list(of: user)
        } catch let error as GIDSignInError where error.code == .canceled {
            // The user closed the sheet.
        } catch {
            self.problem = error.localizedDescription
        }
    }
}
