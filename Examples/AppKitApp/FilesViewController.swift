// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppKit
import SwiftUI
import TesseraGoogleSignIn

/// Shows the sign-in button, and the user's files after sign-in.
///
/// Google's button for macOS is a SwiftUI view.
final class FilesViewController: NSViewController {
    private let text = NSTextField(wrappingLabelWithString: "")
    private lazy var signInButton = NSHostingView(
        rootView: GoogleSignInButton { [unowned self] in self.signIn() }
    )
    private lazy var driveButton = NSHostingView(rootView: Button("Add Drive") { [unowned self] in self.addDrive() })
    private lazy var signOutButton = NSHostingView(rootView: Button("Sign out") { [unowned self] in self.signOut() })

    override func loadView() {
        let stack = NSStackView(views: [self.signInButton, self.driveButton, self.signOutButton, self.text])
        stack.orientation = .vertical
        stack.edgeInsets = NSEdgeInsets(top: 20, left: 20, bottom: 20, right: 20)
        self.view = stack
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        self.showUser()
        // Restoring a previous sign-in also works offline.
        guard GIDSignIn.sharedInstance.hasPreviousSignIn() else { return }
        self.showing { try await GIDSignIn.sharedInstance.restorePreviousSignIn() }
    }

    private func signIn() {
        guard let window = self.view.window else { return }
        self.showing { try await GIDSignIn.sharedInstance.signIn(withPresenting: window).user }
    }

    /// Requests access to Drive when the app needs it.
    private func addDrive() {
        guard let window = self.view.window, let user = GIDSignIn.sharedInstance.currentUser else { return }
        self.showing { try await user.addScopes([DriveFile.scope], presenting: window).user }
    }

    private func signOut() {
        GIDSignIn.sharedInstance.signOut()
        self.showUser()
    }

    private func showing(_ work: @escaping @MainActor () async throws -> GIDGoogleUser) {
        Task {
            do {
                let user = try await work()
                self.showUser()
                guard user.grantedScopes?.contains(DriveFile.scope) == true else { return }
                self.text.stringValue = try await DriveFile.list(of: user).map(\.name).joined(separator: "\n")
            } catch let error as GIDSignInError where error.code == .canceled {
                // The user closed the sheet.
            } catch {
                self.text.stringValue = error.localizedDescription
            }
        }
    }

    private func showUser() {
        let user = GIDSignIn.sharedInstance.currentUser
        self.text.stringValue = user?.profile?.email ?? ""
        self.signInButton.isHidden = user != nil
        self.driveButton.isHidden = user == nil || user?.grantedScopes?.contains(DriveFile.scope) == true
        self.signOutButton.isHidden = user == nil
    }
}
