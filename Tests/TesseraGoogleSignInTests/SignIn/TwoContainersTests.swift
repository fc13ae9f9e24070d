// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("App and extension with a shared keychain")
struct TwoContainersTests {
    /// A process's container: a home directory that contains its locks.
    private final class Container: Sendable {
        let home = FileManager.default.temporaryDirectory.path + "/container-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: self.home) }

        var places: UserFolders { UserFolders(layout: .library, home: self.home) }

        /// Returns a sign-in whose store is created in this container.
        func signIn(_ provider: ScriptedProvider, _ keychain: InMemoryKeychain) throws -> SignIn {
            let store = UserFolders.$ofTask.withValue(self.places) {
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
            return SignIn(
                try provider.provider,
                runtime: provider.runtime,
                store: store,
                userAgent: provider.userAgent()
            )
        }
    }

    private let keychain = InMemoryKeychain()
    private let app = Container()
    private let appExtension = Container()

    /// Refreshes in the other process while this one's request is in flight, and then rejects the request.
    ///
    /// The rejected request contains a refresh token that has been rotated.
    private func overtake(_ provider: ScriptedProvider, by other: @escaping @Sendable () async throws -> Void) {
        let isOvertaken = Mutex(false)
        provider.intercept("/token") { _ in
            let isFirst = isOvertaken.withLock { isOvertaken in
                defer { isOvertaken = true }
                return !isOvertaken
            }
            guard isFirst else { return nil }
            try await other()
            return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
    }

    private func locks(of container: Container) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: container.places.lockDirectory)) ?? []
    }

    @Test("Shares refreshed tokens between two GIDSignIn instances")
    func googleSignIn() async throws {
        let provider = try ScriptedProvider()
        let first = GIDSignIn(signIn: try self.app.signIn(provider, self.keychain))
        let user = try await first.signIn(withPresenting: Presenter(provider.userAgent())).user
        let second = GIDSignIn(signIn: try self.appExtension.signIn(provider, self.keychain))
        let other = try await second.restorePreviousSignIn()
        provider.clock.advance(by: .seconds(3_600))
        self.overtake(provider) { _ = try await other.refreshTokensIfNeeded() }
        _ = try await user.refreshTokensIfNeeded()
        #expect(user.accessToken.tokenString == other.accessToken.tokenString)
        #expect(user.refreshToken.tokenString == other.refreshToken.tokenString)
        #expect(first.currentUser == user)
        #expect(user.session.ended == nil)
        #expect(try await first.previousSignInExists())
        // Each process has its own lock on the account.
        #expect(!self.locks(of: self.appExtension).isEmpty)
        #expect(Set(self.locks(of: self.appExtension)).isSubset(of: self.locks(of: self.app)))
    }

    @Test("Shares refreshed tokens between two AuthSession instances")
    func authSession() async throws {
        let provider = try ScriptedProvider()
        let session = AuthSession(try await self.app.signIn(provider, self.keychain).signIn(scopes: [.openID]))
        let restored = try #require(try await self.appExtension.signIn(provider, self.keychain).restore())
        let other = AuthSession(restored)
        provider.clock.advance(by: .seconds(3_600))
        self.overtake(provider) { _ = try await other.accessToken() }
        let token = try await session.accessToken()
        #expect(try await other.accessToken() == token)
        #expect(session.canAuthorize)
        #expect(session.authState.refreshToken == other.authState.refreshToken)
    }

    @Test("Detects a sign-out in the other process at the next refresh")
    func signOut() async throws {
        let provider = try ScriptedProvider()
        let first = GIDSignIn(signIn: try self.app.signIn(provider, self.keychain))
        _ = try await first.signIn(withPresenting: Presenter(provider.userAgent()))
        let second = GIDSignIn(signIn: try self.appExtension.signIn(provider, self.keychain))
        let other = try await second.restorePreviousSignIn()
        try await first.signOutAndWait()
        provider.clock.advance(by: .seconds(3_600))
        await #expect(throws: (any Error).self) { try await other.refreshTokensIfNeeded() }
        #expect(other.session.ended != nil)
        #expect(try await second.previousSignInExists() == false)
    }
}
