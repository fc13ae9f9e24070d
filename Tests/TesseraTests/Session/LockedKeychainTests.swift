// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("Refreshes on a locked device", .timeLimit(.minutes(1)))
struct LockedKeychainTests {
    /// The step of the refresh at which the keychain is locked.
    enum Moment: CaseIterable {
        case beforeLoad, beforeMark, beforeSave
    }

    private let keychain = InMemoryKeychain()
    private let locks = TemporaryFolder()

    private func store() -> KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: self.locks.path)
        )
    }

    /// Returns a session with an expired token and a keychain that is locked at `moment` of the refresh.
    private func staleSession(_ provider: ScriptedProvider, lockedAt moment: Moment) async throws -> OAuthSession {
        let store = WatchedStore(self.store())
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: store,
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        provider.clock.advance(by: .seconds(3_600))
        let keychain = self.keychain
        let step: WatchedStore.Operation =
            switch moment {
            case .beforeLoad: .entryLoad
            case .beforeMark: .mark
            case .beforeSave: .save
            }
        store.before(step) {
            store.before(step, nil)
            keychain.lock()
        }
        return session
    }

    @Test(
        "Sends no request and keeps the session if the device is locked before the refresh mark",
        arguments: [Moment.beforeLoad, .beforeMark]
    )
    func lockedBefore(moment: Moment) async throws {
        let provider = try ScriptedProvider()
        let session = try await self.staleSession(provider, lockedAt: moment)
        await #expect {
            try await session.accessToken()
        } throws: { error in
            (error as? StoreError)?.code == .deviceLocked
        }
        #expect(provider.refreshes.isEmpty)
        #expect(session.ended == nil)
        self.keychain.lock(false)
        _ = try await session.accessToken()
        #expect(provider.refreshes.count == 1)
    }

    @Test("Saves tokens that arrived on a locked device when it is unlocked, without a second refresh")
    func lockedAfter() async throws {
        let provider = try ScriptedProvider()
        let session = try await self.staleSession(provider, lockedAt: .beforeSave)
        await #expect {
            try await session.accessToken()
        } throws: { error in
            (error as? StoreError)?.code == .deviceLocked
        }
        #expect(provider.refreshes.count == 1)
        #expect(session.ended == nil)
        self.keychain.lock(false)
        let token = try await session.accessToken()
        #expect(provider.refreshes.count == 1)
        let record = try #require(try await self.store().load(session.account))
        #expect(record.tokens?.accessToken == token.secret)
        #expect(record.refreshMark == nil)
    }
}
