// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraAppContainer
internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting

/// A process in an environment like that of an iOS app with its container at `HOME`: `AppContainerProbe MODE …`.
///
/// - `stores`: verifies the contract of each store that an app can use, in its default location.
/// - `refused`: attempts operations that the environment refuses, as evidence for the other modes.
/// - `refresh STEP STORE`: stops itself (SIGSTOP) at a step of a refresh. When it is continued after the token has
///   expired, it reports the state of the session, which is in a `file` or in a `keychain`.
///
/// The probe prints one line per result. On failure it prints the error and exits with status 1.
@main
enum AppContainerProbe {
    static func main() async {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let arguments = Array(CommandLine.arguments.dropFirst())
        await UserFolders.$ofTask.withValue(UserFolders(layout: .library, home: home)) {
            do {
                switch arguments.first {
                case "stores": try await Self.stores()
                case "refused": Self.refused(home)
                case "refresh": try await StoppedRefresh(step: arguments[1], store: arguments[2]).run()
                default: print("unknown mode")
                }
            } catch {
                print("failed: \(error)")
                exit(1)
            }
        }
    }

    private static func refused(_ home: String) {
        let file = home + "/tmp/linked"
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        print("link", link(file, file + "2") == 0 ? "allowed" : "refused")
        print("mkdir", mkdir(home + "/.config", 0o700) == 0 ? "allowed" : "refused")
        print("open", open(home + "/new", O_CREAT | O_RDWR, 0o600) >= 0 ? "allowed" : "refused")
    }

    private static func stores() async throws {
        guard let sessions = UserFolders.current.sessionDirectory else {
            throw StoreError(.unavailable, location: "HOME")
        }
        for (number, requirement) in SessionStoreContract.all.enumerated() {
            try await requirement.verify(EncryptedFileStore(directory: "\(sessions)/\(number)"))
            try await requirement.verify(Self.keychainStore(InMemoryKeychain()))
        }
        print("contract of \(SessionStoreContract.all.count) sentences")
        try await EncryptedFileStore(directory: sessions).probe()
        try await Self.keychainStore(InMemoryKeychain()).probe()
        print("probes")
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: EncryptedFileStore(directory: sessions),
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        provider.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        print("session")
        let keychain = KeychainStore(itemName: "facade")
        let facade = AuthSession(session)
        try keychain.save(authSession: facade)
        guard try keychain.retrieveAuthSession().authState.refreshToken == facade.authState.refreshToken else {
            throw StoreError(.notPersisted, location: "facade")
        }
        print("facade")
        try await Self.googleSignIn(sessions)
        print("google sign-in")
        print("refusals", tessera_app_container_refusals())
    }

    /// Signs a user in, restores the session as after the next launch, and signs the user out.
    private static func googleSignIn(_ sessions: String) async throws {
        let provider = try ScriptedProvider()
        func launched() throws -> GIDSignIn {
            GIDSignIn(
                signIn: SignIn(
                    try provider.provider,
                    runtime: provider.runtime,
                    store: EncryptedFileStore(directory: sessions + "/google"),
                    userAgent: provider.userAgent()
                )
            )
        }
        let user = try await launched().signIn(withPresenting: Presenter(userAgent: provider.userAgent())).user
        let app = try launched()
        let restored = try await app.restorePreviousSignIn()
        guard restored.userID == user.userID, app.currentUser === restored else {
            throw StoreError(.notPersisted, location: "GIDSignIn")
        }
        try await app.signOutAndWait()
        guard try await !launched().previousSignInExists() else {
            throw StoreError(.notPersisted, location: "GIDSignIn")
        }
    }

    private struct Presenter: SignInPresenter {
        let userAgent: ScriptedUserAgent

        var signInUserAgent: any UserAgent { self.userAgent }
    }

    static func keychainStore(_ keychain: InMemoryKeychain) -> KeychainSessionStore {
        KeychainSessionStore(
            keychain,
            location: KeychainLocation(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: UserFolders.current.lockDirectory)
        )
    }
}
