// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import TesseraGoogleSignIn
import UIKit

/// A table of the user's files, with the sign-in button above it while no user is signed in.
final class FilesViewController: UITableViewController {
    private static let cell = "file"

    private let signInButton = GIDSignInButton(frame: .zero)
    private var files: [DriveFile] = []

    override func viewDidLoad() {
        super.viewDidLoad()
        self.title = "Drive"
        self.tableView.register(UITableViewCell.self, forCellReuseIdentifier: Self.cell)
        self.signInButton.addAction(UIAction { [unowned self] _ in self.signIn() }, for: .primaryActionTriggered)
        self.showUser()
        // Restoring a previous sign-in also works offline.
        guard GIDSignIn.sharedInstance.hasPreviousSignIn() else { return }
        self.showing { try await GIDSignIn.sharedInstance.restorePreviousSignIn() }
    }

    /// Updates the height of the header, because the button grows with the text size and when its title wraps.
    override func viewWillLayoutSubviews() {
        super.viewWillLayoutSubviews()
        guard self.tableView.tableHeaderView === self.signInButton else { return }
        let height = self.signInButton.sizeThatFits(self.tableView.bounds.size).height
        guard self.signInButton.frame.height != height else { return }
        self.signInButton.frame.size.height = height
        // The table view only measures its header when the property is set.
        self.tableView.tableHeaderView = self.signInButton
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { self.files.count }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: Self.cell, for: indexPath)
        var content = cell.defaultContentConfiguration()
        content.text = self.files[indexPath.row].name
        cell.contentConfiguration = content
        return cell
    }

    /// Requests access to Drive during sign-in, because the app only shows Drive files.
    private func signIn() {
        self.showing {
            try await GIDSignIn.sharedInstance.signIn(withPresenting: self, additionalScopes: [DriveFile.scope]).user
        }
    }

    /// Requests access to Drive again after the user declined it.
    private func addDrive(_ user: GIDGoogleUser) {
        self.showing { try await user.addScopes([DriveFile.scope], presenting: self).user }
    }

    private func signOut() {
        GIDSignIn.sharedInstance.signOut()
        self.files = []
        self.showUser()
    }

    private func showing(_ work: @escaping @MainActor () async throws -> GIDGoogleUser) {
        Task {
            do {
                let user = try await work()
                self.showUser()
                guard user.grantedScopes?.contains(DriveFile.scope) == true else { return }
                self.files = try await DriveFile.list(of: user)
                self.tableView.reloadData()
            } catch let error as GIDSignInError where error.code == .canceled {
                // The user closed the sheet.
            } catch {
                self.navigationItem.prompt = error.localizedDescription
            }
        }
    }

    private func showUser() {
        let user = GIDSignIn.sharedInstance.currentUser
        self.navigationItem.prompt = user?.profile?.email
        self.navigationItem.rightBarButtonItem = user.map { self.barButtonItem(for: $0) }
        self.tableView.tableHeaderView = user == nil ? self.signInButton : nil
        self.tableView.reloadData()
    }

    private func barButtonItem(for user: GIDGoogleUser) -> UIBarButtonItem {
        guard user.grantedScopes?.contains(DriveFile.scope) == true else {
            return UIBarButtonItem(
                primaryAction: UIAction(title: "Add Drive") { [unowned self] _ in self.addDrive(user) }
            )
        }
        return UIBarButtonItem(primaryAction: UIAction(title: "Sign out") { [unowned self] _ in self.signOut() })
    }
}
