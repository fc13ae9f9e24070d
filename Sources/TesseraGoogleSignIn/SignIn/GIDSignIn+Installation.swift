// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

extension GIDSignIn {
    /// Records that this installation has run and, if requested, removes the sign-ins left by an earlier installation.
    ///
    /// Concurrent callers wait, so that a session saved by one of them is not removed.
    func checkInstallation(_ signIn: SignIn) async throws {
        if self.state.withLock({ $0.isInstallationKnown }) { return }
        // Callers may block cooperative threads while waiting for this check, so it runs on other threads.
        try await BlockingWork.alongside { try await self.checkOnce(signIn) }
    }

    private func checkOnce(_ signIn: SignIn) async throws {
        try await self.installation.take(.probe)
        defer { self.installation.pass(.probe) }
        let (isKnown, forgets) = self.state.withLock { ($0.isInstallationKnown, $0.forgetsEarlierInstallations) }
        if isKnown { return }
        do {
            if let mark = Self.installationMark(signIn.provider.client.clientID),
                try await BlockingExecutor.reading.run({ try !StoreError.mapping(FileSystem.exists(mark)) })
            {
                if forgets {
                    try await self.removeGoogleSignInStore()
                    try await signIn.signOutAll()
                }
                // Create the file last, so that a failed removal is attempted again.
                try await BlockingExecutor.shared.run { try FileSystem.makeMark(mark) }
            }
            self.state.withLock { $0.isInstallationKnown = true }
        } catch  where !forgets {
            // The marker file is not needed yet. The next call tries again.
        }
    }

    /// Returns the path of a client's marker file, or nil in an app extension or without a container.
    private static func installationMark(_ clientID: String) -> String? {
        guard Bundle.main.bundleURL.pathExtension != "appex", let directory = UserFolders.current.containerDirectory
        else {
            return nil
        }
        return directory + "/dev.tessera.installed-" + Base64URL.encode(Array(clientID.utf8))
    }
}
