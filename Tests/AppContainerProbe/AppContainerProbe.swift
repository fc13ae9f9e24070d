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

/// A process with the environment of an iOS app, whose container is `HOME`: `AppContainerProbe MODE …`.
///
/// - `stores`: the contract of each store that an app can use, in its default places.
/// - `refused`: what the environment refuses, so that the other modes prove something.
/// - `refresh STEP STORE`: stops itself (SIGSTOP) at a step of a refresh, goes on when it is continued, after the token has
///   expired, and reports what came of the session, which is in a `file` or in a `keychain`.
///
/// It prints one line for each result; a failure is the error's description and exit status 1.
@main
enum AppContainerProbe {
    static func main() async {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let arguments = Array(CommandLine.arguments.dropFirst())
        await UserPlaces.$ofTask.withValue(UserPlaces(layout: .library, home: home)) {
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
        guard let sessions = UserPlaces.current.sessionDirectory else { throw StoreError(.unavailable, place: "HOME") }
        for (number, sentence) in SessionStoreContract.all.enumerated() {
            try await sentence.verify(EncryptedFileStore(directory: "\(sessions)/\(number)"))
            try await sentence.verify(Self.keychainStore(InMemoryKeychain()))
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
            throw StoreError(.notKept, place: "facade")
        }
        print("facade")
        try await Self.googleSignIn(sessions)
        print("google sign-in")
        print("refusals", tessera_app_container_refusals())
    }

    /// An app signs a user in, restores the session after its next launch, and signs the user out.
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
            throw StoreError(.notKept, place: "GIDSignIn")
        }
        try await app.signOutAndWait()
        guard try await !launched().previousSignInExists() else { throw StoreError(.notKept, place: "GIDSignIn") }
    }

    private struct Presenter: SignInPresenter {
        let userAgent: ScriptedUserAgent

        var signInUserAgent: any UserAgent { self.userAgent }
    }

    static func keychainStore(_ keychain: InMemoryKeychain) -> KeychainSessionStore {
        KeychainSessionStore(
            keychain,
            place: KeychainPlace(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: UserPlaces.current.lockDirectory)
        )
    }
}
