// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("An app and its extension with one keychain")
struct AppExtensionTests {
    private let keychain = InMemoryKeychain()

    /// A process with its own container: locks in a directory that it shares or does not share.
    private func process(
        _ provider: ScriptedProvider,
        locks: LockFolder
    ) throws -> SignIn {
        let store = KeychainSessionStore(
            self.keychain,
            place: KeychainPlace(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: locks.path)
        )
        return SignIn(try provider.provider, runtime: provider.runtime, store: store, userAgent: provider.userAgent())
    }

    @Test("With the lock in the app group's container both at once cost one refresh", .covers(116))
    func sharedLock() async throws {
        let provider = try ScriptedProvider()
        let group = LockFolder()
        let app = try await self.process(provider, locks: group).signIn(scopes: [.openID])
        let other = try #require(try await self.process(provider, locks: group).restore())
        provider.clock.advance(by: .seconds(3_600))
        async let one = app.accessToken()
        async let two = other.accessToken()
        #expect(try await one == two)
        #expect(provider.refreshes.count == 1)
    }

    @Test(
        "Without it, a refresh that the provider rejects takes what the other process has stored meanwhile",
        .covers(116)
    )
    func separateLocks() async throws {
        let provider = try ScriptedProvider()
        let app = try await self.process(provider, locks: LockFolder()).signIn(scopes: [.openID])
        let other = try #require(try await self.process(provider, locks: LockFolder()).restore())
        provider.clock.advance(by: .seconds(3_600))
        let isFirst = Mutex(true)
        provider.intercept("/token") { _ in
            guard
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return nil }
            _ = try await other.accessToken()
            return .json(#"{"error": "invalid_grant"}"#, status: .badRequest)
        }
        let token = try await app.accessToken()
        #expect(try await other.accessToken() == token)
        #expect(app.ended == nil)
        #expect(app.record == other.record)
    }

    @Test(
        "The locks of an app group are in Application Support of its container, on tvOS in Caches",
        arguments: [
            (UserPlaces.Layout.library, "/group/Library/Application Support/tessera/locks/"),
            (.caches, "/group/Library/Caches/tessera/locks/"),
        ]
    )
    func groupContainer(layout: UserPlaces.Layout, path: String) {
        let places = UserPlaces(layout: layout, home: "/container")
        let directory = LockDirectory(inContainer: "/group", ofAppGroup: "group.example", places: places)
        #expect(directory.lockPath(.probe) == path + "\(AccountKey.probe.name).lock")
    }

    @Test("An app without the app group is told what is missing")
    func missingGroup() async throws {
        let store = KeychainSessionStore(
            self.keychain,
            place: KeychainPlace(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(inContainer: nil, ofAppGroup: "group.example")
        )
        await #expect { try await store.probe() } throws: { error in
            (error as? StoreError)?.detail?.contains("group.example") == true
        }
    }
}
