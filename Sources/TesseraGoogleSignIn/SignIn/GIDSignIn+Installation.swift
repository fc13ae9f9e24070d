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
    /// Notes that this installation has run, and removes the sign-ins of an earlier one if that is wanted.
    ///
    /// Callers that come meanwhile wait: what one of them saves must not be removed.
    func checkInstallation(_ signIn: SignIn) async throws {
        if self.state.withLock({ $0.isInstallationKnown }) { return }
        // Whoever has the turn must not need a thread of those that callers block who wait for it.
        try await AtOnce.alongside { try await self.checkOnce(signIn) }
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
                    try await self.forgetAncestor()
                    try await signIn.signOutAll()
                }
                // The last step: a removal that failed is tried again.
                try await BlockingExecutor.shared.run { try Self.make(mark) }
            }
            self.state.withLock { $0.isInstallationKnown = true }
        } catch  where !forgets {
            // Nothing depends on the file now; the next call tries again.
        }
    }

    /// The path of the file that says that an installation of the app has run with a client; nil where there is none.
    private static func installationMark(_ clientID: String) -> String? {
        guard Bundle.main.bundleURL.pathExtension != "appex", let directory = UserPlaces.current.containerDirectory
        else {
            return nil
        }
        return directory + "/dev.tessera.installed-" + Base64URL.encode(Array(clientID.utf8))
    }

    /// Makes the file in a directory that backups include: a device that is restored from one has the keychain's items, too.
    private static func make(_ mark: String) throws {
        let directory = URL(filePath: mark).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try StoreError.mapping(FileSystem.makePrivateFile(mark, isBackedUp: true))
    }
}
