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

@Suite("An app and its extension with a shared keychain")
struct AppExtensionTests {
    private let keychain = InMemoryKeychain()

    /// Creates a sign-in for a process with its own container and a lock directory that may be shared.
    private func process(
        _ provider: ScriptedProvider,
        locks: LockFolder
    ) throws -> SignIn {
        let store = KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
                usesDataProtection: true,
                accessGroup: nil,
                accessibility: .afterFirstUnlockThisDeviceOnly
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: locks.path)
        )
        return SignIn(try provider.provider, runtime: provider.runtime, store: store, userAgent: provider.userAgent())
    }

    @Test("An app and its extension send one refresh if they share a lock in the app group's container", .covers(116))
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
        "Without a shared lock, a rejected refresh adopts the tokens stored by the other process",
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
        "Places the locks of an app group in Application Support of its container, or in Caches on tvOS",
        arguments: [
            (UserFolders.Layout.library, "/group/Library/Application Support/tessera/locks/"),
            (.caches, "/group/Library/Caches/tessera/locks/"),
        ]
    )
    func groupContainer(layout: UserFolders.Layout, path: String) {
        let places = UserFolders(layout: layout, home: "/container")
        let directory = LockDirectory(inContainer: "/group", ofAppGroup: "group.example", places: places)
        #expect(directory.lockPath(.probe) == path + "\(AccountKey.probe.name).lock")
    }

    @Test("The error of an app without the app group names the group")
    func missingGroup() async throws {
        let store = KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
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
