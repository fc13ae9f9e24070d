// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraMigration
internal import TesseraStores
internal import TesseraTesting
internal import Testing

@Suite("From the file-based keychain of macOS to the data-protection keychain")
struct KeychainMoveTests {
    private static let before = KeychainPlace(
        usesDataProtection: false,
        accessGroup: nil,
        accessibility: .afterFirstUnlockThisDeviceOnly
    )
    private static let after = KeychainPlace(
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

    /// Lets the process find out its access group, which costs calls of its own.
    private func resolve() {
        #expect(ResolvedKeychainPlace(Self.after, in: self.keychain)().status == KeychainStatus.success)
    }

    private func text(_ place: KeychainPlace) -> String? {
        self.keychain.items(Self.query, in: place, secrets: true).items.first
            .map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test("An item is moved once, with its accessibility; a second move finds nothing to do")
    func moves() async throws {
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(try await self.move.run() == .moved)
        #expect(self.text(Self.after) == "grant")
        #expect(self.text(Self.before) == nil)
        #expect(self.keychain.accessibilities == [.afterFirstUnlockThisDeviceOnly])
        #expect(try await self.move.run() == .absent)
        #expect(self.text(Self.after) == "grant")
    }

    @Test("The old item stays whatever fails before the new one was read back", arguments: ["add", "items", "remove"])
    func failures(_ call: String) async throws {
        self.resolve()
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        self.keychain.fail(call, KeychainStatus.interactionNotAllowed, times: 1)
        await #expect { try await self.move.run() } throws: { StoreError.Code.locked ~= $0 }
        #expect(self.text(Self.before) == "grant")
        // What was interrupted is ended by the next run.
        #expect(try await self.move.run() == .moved)
        #expect(self.text(Self.after) == "grant")
        #expect(self.text(Self.before) == nil)
    }

    @Test("Another item in the new place stays, and so does the old one")
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

    @Test("A keychain that swallows what is written keeps the old item")
    func swallowed() async throws {
        self.resolve()
        let keychain = OddKeychain(self.keychain, .swallowing)
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        let move = KeychainPasswordMove(keychain, service: "auth")
        await #expect { try await move.run() } throws: { StoreError.Code.unavailable ~= $0 }
        #expect(self.text(Self.before) == "grant")
    }

    @Test("Where both names mean one keychain the item is still there afterwards")
    func oneKeychain() async throws {
        self.resolve()
        let keychain = OddKeychain(self.keychain, .single)
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        let move = KeychainPasswordMove(keychain, service: "auth")
        await #expect { try await move.run() } throws: { StoreError.Code.unavailable ~= $0 }
        #expect(self.text(Self.before) == "grant")
    }

    @Test("An item that is written meanwhile is copied anew")
    func changed() async throws {
        self.resolve()
        let keychain = OddKeychain(self.keychain, .writtenMeanwhile(Self.item("newer")))
        #expect(self.keychain.add(Self.item("grant"), to: Self.before) == KeychainStatus.success)
        #expect(try await KeychainPasswordMove(keychain, service: "auth").run() == .moved)
        #expect(self.text(Self.after) == "newer")
        #expect(self.text(Self.before) == nil)
    }

    @Test("The item of another group of the program is neither taken for the new one nor removed")
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
        // The copy that is taken back, because the old item was written meanwhile, is the program's own, too.
        #expect(self.keychain.add(Self.item("older"), to: Self.before) == KeychainStatus.success)
        #expect(self.keychain.remove(Self.query, from: ours) == KeychainStatus.success)
        let odd = OddKeychain(self.keychain, .writtenMeanwhile(Self.item("newer")))
        #expect(try await KeychainPasswordMove(odd, service: "auth").run() == .moved)
        #expect(self.text(other) == "theirs")
        #expect(self.text(ours) == "newer")
    }

    @Test("Where there is no file-based keychain nothing is moved, and no item is touched")
    func noFileBasedKeychain() async throws {
        #expect(self.keychain.add(Self.item("grant"), to: Self.after) == KeychainStatus.success)
        let move = KeychainPasswordMove(self.keychain, service: "auth", hasFileBasedKeychain: false)
        #expect(try await move.run() == .absent)
        #expect(self.keychain.calls == ["add"])
        #expect(self.text(Self.after) == "grant")
    }

    @Test("Tessera's own sessions move by a transfer between the two stores, each verified before it is removed")
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

    private func store(_ place: KeychainPlace, _ locks: String) -> KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            place: place,
            service: "sessions",
            lockDirectory: LockDirectory(path: locks)
        )
    }
}
