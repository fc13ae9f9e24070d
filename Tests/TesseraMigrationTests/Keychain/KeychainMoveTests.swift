// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraMigration
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("Move to the data-protection keychain")
struct KeychainMoveTests {
    private static let before = KeychainLocation(
        usesDataProtection: false,
        accessGroup: nil,
        accessibility: .afterFirstUnlockThisDeviceOnly
    )
    private static let after = KeychainLocation(
        usesDataProtection: true,
        accessGroup: nil,
        accessibility: .afterFirstUnlockThisDeviceOnly
    )
    private static let query = KeychainQuery(service: "auth", account: "OAuth")

    private static func item(_ text: String) -> KeychainItem {
        KeychainItem(service: "auth", account: "OAuth", label: "", attributes: [], data: Array(text.utf8))
    }

    private let keychain = InMemoryKeychain(groups: ["TEAM.program", "TEAM.other"])
    private var move: KeychainPasswordMove { KeychainPasswordMove(self.keychain, service: "auth") }

    /// Resolves the access group of the process beforehand, because that takes additional keychain calls.
    private func resolve() {
        #expect(ResolvedKeychainLocation(Self.after, in: self.keychain)().status == KeychainStatus.success)
    }

    private func text(_ location: KeychainLocation) -> String? {
        self.keychain.items(Self.query, in: location, secrets: true).items.first
            .map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test("Moves an item once with its accessibility, and then finds nothing to move")
    func moves() async throws {
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(try await self.move.run() == .moved)
        #expect(self.text(Self.after) == "grant")
        #expect(self.text(Self.before) == nil)
        #expect(self.keychain.accessibilities == [.afterFirstUnlockThisDeviceOnly])
        #expect(try await self.move.run() == .absent)
        #expect(self.text(Self.after) == "grant")
    }

    @Test(
        "Keeps the old item if the move fails before the new item is verified",
        arguments: ["add", "items", "remove"]
    )
    func failures(_ call: String) async throws {
        self.resolve()
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        self.keychain.fail(call, KeychainStatus.interactionNotAllowed, times: 1)
        await #expect { try await self.move.run() } throws: { StoreError.Code.locked ~= $0 }
        #expect(self.text(Self.before) == "grant")
        // The next run completes the interrupted move.
        #expect(try await self.move.run() == .moved)
        #expect(self.text(Self.after) == "grant")
        #expect(self.text(Self.before) == nil)
    }

    @Test("Keeps both items if the new location already has another item")
    func occupied() async throws {
        self.resolve()
        let removals = self.keychain.calls.filter { $0 == "remove" }.count
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(self.keychain.add(Self.item("newer"), to: Self.after) == KeychainStatus.success)
        #expect(try await self.move.run() == .occupied)
        #expect(self.text(Self.after) == "newer")
        #expect(self.text(Self.before) == "grant")
        #expect(self.keychain.calls.filter { $0 == "remove" }.count == removals)
    }

    @Test("Keeps the old item if the keychain loses the new one")
    func swallowed() async throws {
        self.resolve()
        let keychain = FaultyKeychain(self.keychain, .lostAdditions)
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        let move = KeychainPasswordMove(keychain, service: "auth")
        await #expect { try await move.run() } throws: { StoreError.Code.unavailable ~= $0 }
        #expect(self.text(Self.before) == "grant")
    }

    @Test("Keeps the item if both locations are the same keychain")
    func oneKeychain() async throws {
        self.resolve()
        let keychain = FaultyKeychain(self.keychain, .singleKeychain)
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        let move = KeychainPasswordMove(keychain, service: "auth")
        await #expect { try await move.run() } throws: { StoreError.Code.unavailable ~= $0 }
        #expect(self.text(Self.before) == "grant")
    }

    @Test("Copies an item again if it changes during the move")
    func changed() async throws {
        self.resolve()
        let keychain = FaultyKeychain(self.keychain, .concurrentWrite(Self.item("newer")))
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(try await KeychainPasswordMove(keychain, service: "auth").run() == .moved)
        #expect(self.text(Self.after) == "newer")
        #expect(self.text(Self.before) == nil)
    }

    @Test("Ignores the item of another access group of the process")
    func otherGroup() async throws {
        var other = Self.after
        other.accessGroup = "TEAM.other"
        #expect(self.keychain.add(Self.item("theirs"), to: other) == KeychainStatus.success)
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(try await self.move.run() == .moved)
        #expect(self.text(other) == "theirs")
        var ours = Self.after
        ours.accessGroup = "TEAM.program"
        #expect(self.text(ours) == "grant")
        #expect(self.text(Self.before) == nil)
        // If the old item changes during the move, only the program's own copy is removed.
        #expect(self.keychain.add(Self.item("older"), to: Self.before) == KeychainStatus.success)
        #expect(self.keychain.remove(Self.query, from: ours) == KeychainStatus.success)
        let faulty = FaultyKeychain(self.keychain, .concurrentWrite(Self.item("newer")))
        #expect(try await KeychainPasswordMove(faulty, service: "auth").run() == .moved)
        #expect(self.text(other) == "theirs")
        #expect(self.text(ours) == "newer")
    }

    @Test("Moves nothing if there is no file-based keychain")
    func noFileBasedKeychain() async throws {
        #expect(self.keychain.add(Self.item("grant"), to: Self.after) == KeychainStatus.success)
        let move = KeychainPasswordMove(self.keychain, service: "auth", hasFileBasedKeychain: false)
        #expect(try await move.run() == .absent)
        #expect(self.keychain.calls == ["add"])
        #expect(self.text(Self.after) == "grant")
    }

    @Test("Transfers sessions between the two stores and verifies each before removing it")
    func sessions() async throws {
        let locks = FileManager.default.temporaryDirectory.path + "/tessera-move-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: locks) }
        let (old, new) = (self.store(Self.before, locks), self.store(Self.after, locks))
        let record = try SessionRecord.sample(
            for: Account(issuer: "https://id.example", clientID: "client", subject: "ada")
        )
        try await old.update(record.account) { try await $0.save(record) }
        let transfer = StoreTransfer(from: old, to: new)
        self.keychain.fail("add", KeychainStatus.interactionNotAllowed, times: 1)
        await #expect { try await transfer.copy(record.account) } throws: { StoreError.Code.deviceLocked ~= $0 }
        #expect(try await old.load(record.account) == record)
        #expect(try await transfer.copy(record.account) == .copied)
        try await transfer.removeOriginals(of: [record.account])
        #expect(try await old.load(record.account) == nil)
        #expect(try await new.load(record.account) == record)
    }

    private func store(_ location: KeychainLocation, _ locks: String) -> KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            location: location,
            service: "sessions",
            lockDirectory: LockDirectory(path: locks)
        )
    }
}
