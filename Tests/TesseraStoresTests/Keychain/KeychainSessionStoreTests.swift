// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Keychain store")
struct KeychainSessionStoreTests {
    private static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    private static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")

    private let locks = LockFolder()
    private let keychain = InMemoryKeychain(groups: ["TEAM.program", "TEAM.shared"])

    private func store(
        service: String = "sessions",
        dataProtection: Bool = true,
        group: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlock
    ) -> KeychainSessionStore {
        KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
                usesDataProtection: dataProtection,
                accessGroup: group,
                accessibility: accessibility
            ),
            service: service,
            lockDirectory: LockDirectory(path: self.locks.path)
        )
    }

    private static func save(_ record: SessionRecord, in store: KeychainSessionStore) async throws {
        try await store.update(record.account) { try await $0.save(record) }
    }

    private static func expect(_ code: StoreError.Code, _ call: () async throws -> Void) async {
        await #expect { try await call() } throws: { ($0 as? StoreError)?.code == code }
    }

    @Test("Fulfills the session store contract in either keychain", arguments: SessionStoreContract.all, [true, false])
    func contract(requirement: SessionStoreContract, dataProtection: Bool) async throws {
        try await requirement.verify(self.store(dataProtection: dataProtection))
    }

    @Test("Adds an item once and then updates it in place")
    func updates() async throws {
        let store = self.store()
        for generation in 1...3 {
            try await Self.save(try .sample(for: Self.ada, generation: Int64(generation)), in: store)
        }
        // The first addition is the probe item that determines the access group.
        #expect(
            self.keychain.calls.filter { ["add", "update"].contains($0) }
                == ["add", "update", "add", "update", "update"]
        )
        #expect(self.keychain.keys.count == 1)
    }

    @Test("Updates an item that another process has added in the meantime")
    func race() async throws {
        let store = self.store()
        try await Self.save(try .sample(for: Self.ada, generation: 1), in: store)
        // Simulates an item that does not exist yet when it is updated.
        self.keychain.fail("update", KeychainStatus.itemNotFound, times: 1)
        try await Self.save(try .sample(for: Self.ada, generation: 2), in: store)
        #expect(self.keychain.calls.suffix(3) == ["update", "add", "update"])
        #expect(try await store.load(Self.ada)?.generation == 2)
        #expect(self.keychain.keys.count == 1)
    }

    @Test("Separates sessions by service, access group and keychain")
    func separation() async throws {
        let stores = [
            self.store(group: "TEAM.program"), self.store(service: "others"), self.store(group: "TEAM.shared"),
            self.store(dataProtection: false),
        ]
        for (index, store) in stores.enumerated().reversed() {
            try await Self.save(try .sample(for: Self.ada, generation: Int64(index)), in: store)
        }
        #expect(self.keychain.keys.count == 4)
        for (index, store) in stores.enumerated().dropFirst() {
            #expect(try await store.load(Self.ada)?.generation == Int64(index))
            #expect(try await store.list() == [Self.ada])
        }
    }

    @Test("Reports a missing entitlement for an access group with its status and a suggestion")
    func entitlement() async throws {
        let store = self.store(group: "OTHER.group")
        await #expect { try await store.probe() } throws: { error in
            let error = error as? StoreError
            return error?.code == .unavailable && error?.status == -34018 && error?.detail?.contains("Sign it") == true
        }
    }

    @Test(
        "Preserves every keychain status and maps it to an error code",
        arguments: [
            (-25308, StoreError.Code.deviceLocked), (-128, .locked), (-25293, .permissionDenied),
            (-25291, .unavailable),
            (-34, .full), (-61, .permissionDenied), (-26275, .corrupt), (-50, .system), (-9_999, .system),
        ]
    )
    func statuses(status: Int, code: StoreError.Code) async throws {
        let store = self.store()
        self.keychain.fail("items", Int32(status))
        for call in [{ _ = try await store.load(Self.ada) }, { _ = try await store.list() }]
            as [() async throws -> Void]
        {
            await #expect { try await call() } throws: {
                ($0 as? StoreError)?.code == code && ($0 as? StoreError)?.status == Int32(status)
            }
        }
    }

    @Test("Lists accounts on a locked device, reports loads as retryable and loses nothing")
    func locked() async throws {
        let store = self.store()
        let record = try SessionRecord.sample(for: Self.ada)
        try await Self.save(record, in: store)
        self.keychain.lock()
        await #expect { try await store.load(Self.ada) } throws: { ($0 as? StoreError)?.isRetryable == true }
        await #expect(throws: StoreError.self) { try await Self.save(record, in: store) }
        #expect(try await store.list() == [Self.ada])
        self.keychain.lock(false)
        #expect(try await store.load(Self.ada) == record)
    }

    @Test("Reports a locked login keychain of macOS as locked, not as a locked device")
    func lockedLoginKeychain() async throws {
        let store = self.store(dataProtection: false)
        self.keychain.fail("items", KeychainStatus.interactionNotAllowed)
        await Self.expect(.locked) { _ = try await store.load(Self.ada) }
    }

    @Test("Reports a locked device before the first unlock although queries find nothing")
    func beforeFirstUnlock() async throws {
        try await Self.save(try .sample(for: Self.ada), in: self.store())
        // Simulates a new process in which the system's queries find nothing yet.
        self.keychain.startProcess()
        let store = self.store()
        self.keychain.lock()
        self.keychain.fail("items", KeychainStatus.itemNotFound)
        await Self.expect(.deviceLocked) { _ = try await store.list() }
        await Self.expect(.deviceLocked) { _ = try await store.load(Self.ada) }
        await Self.expect(.deviceLocked) { try await store.remove(Self.ada) }
        self.keychain.fail("items", 0, times: 0)
        self.keychain.lock(false)
        #expect(try await store.list() == [Self.ada])
    }

    @Test("Restoring a session throws before the first unlock and succeeds after it")
    func restoring() async throws {
        let provider = try ScriptedProvider()
        func signIn() throws -> SignIn {
            SignIn(
                try provider.provider,
                runtime: provider.runtime,
                store: self.store(),
                userAgent: provider.userAgent()
            )
        }
        _ = try await signIn().signIn(scopes: [.openID])
        self.keychain.startProcess()
        let restarted = try signIn()
        self.keychain.lock()
        await Self.expect(.deviceLocked) { _ = try await restarted.restore() }
        self.keychain.lock(false)
        #expect(try await restarted.restore() != nil)
    }

    @Test("Uses only the program's first access group if none is named")
    func firstGroup() async throws {
        let shared = self.store(group: "TEAM.shared")
        let sharedRecord = try SessionRecord.sample(for: Self.ada, generation: 7)
        try await Self.save(sharedRecord, in: shared)
        let store = self.store()
        #expect(try await store.load(Self.ada) == nil)
        #expect(try await store.list() == [])
        try await Self.save(try .sample(for: Self.ada, generation: 1), in: store)
        try await Self.save(try .sample(for: Self.ada, generation: 2), in: store)
        #expect(try await shared.load(Self.ada) == sharedRecord)
        try await store.remove(Self.ada)
        #expect(try await shared.load(Self.ada) == sharedRecord)
        #expect(Set(self.keychain.keys.map(\.group)) == ["TEAM.shared"])
    }

    @Test("Determines the access group once per process and leaves no item behind")
    func groupOncePerProcess() async throws {
        for store in [self.store(), self.store(), self.store(service: "others", accessibility: .whenUnlocked)] {
            #expect(try await store.load(Self.ada) == nil)
            _ = try await store.list()
        }
        let additions = self.keychain.calls.filter { $0 == "add" }.count
        // Two of the additions come from the store whose items require an unlocked device, which probes after every
        // item it does not find.
        #expect(additions == 3)
        #expect(self.keychain.keys.isEmpty)
        self.keychain.startProcess()
        _ = try await self.store().list()
        #expect(self.keychain.calls.filter { $0 == "add" }.count == 4)
    }

    @Test(
        "Determines the access group and removes a probe item that a killed process left behind",
        arguments: ["TEAM.program", "TEAM.shared"]
    )
    func leftItems(group: String) async throws {
        let leftover = KeychainItem(
            service: "dev.tessera.probes",
            account: "program",
            label: "",
            attributes: [],
            data: [1]
        )
        let location = KeychainLocation(usesDataProtection: true, accessGroup: group, accessibility: .afterFirstUnlock)
        #expect(self.keychain.add(leftover, to: location) == KeychainStatus.success)
        self.keychain.startProcess()
        try await Self.save(try .sample(for: Self.ada), in: self.store())
        #expect(self.keychain.keys.map(\.service) == ["sessions"])
        #expect(self.keychain.keys.map(\.group) == ["TEAM.program"])
    }

    @Test("Adds a probe item again if another process of the program has removed it too early")
    func groupRace() async throws {
        self.keychain.fail("items", KeychainStatus.itemNotFound, times: 2)
        #expect(try await self.store().list() == [])
        #expect(self.keychain.calls.filter { $0 == "add" }.count == 3)
    }

    @Test(
        "Never reports a locked device as an empty store if items require an unlocked device",
        arguments: [
            KeychainAccessibility.whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
        ]
    )
    func strictClasses(accessibility: KeychainAccessibility) async throws {
        let store = self.store(accessibility: accessibility)
        let record = try SessionRecord.sample(for: Self.ada)
        try await Self.save(record, in: store)
        self.keychain.lock()
        await Self.expect(.deviceLocked) { _ = try await store.list() }
        await Self.expect(.deviceLocked) { _ = try await store.load(Self.ada) }
        await Self.expect(.deviceLocked) { _ = try await store.load(Self.bob) }
        await Self.expect(.deviceLocked) { try await store.remove(Self.bob) }
        self.keychain.lock(false)
        #expect(try await store.list() == [Self.ada])
        #expect(try await store.load(Self.ada) == record)
        #expect(try await store.load(Self.bob) == nil)
    }

    @Test("Applies the accessibility to items on a system without a file-based keychain")
    func noFileBasedKeychain() async throws {
        let store = KeychainSessionStore(
            self.keychain,
            location: KeychainLocation(
                usesDataProtection: false,
                accessGroup: nil,
                accessibility: .whenUnlockedThisDeviceOnly,
                hasFileBasedKeychain: false
            ),
            service: "sessions",
            lockDirectory: LockDirectory(path: self.locks.path)
        )
        try await Self.save(try .sample(for: Self.ada), in: store)
        #expect(self.keychain.keys.map(\.usesDataProtection) == [true])
        #expect(self.keychain.accessibilities == [.whenUnlockedThisDeviceOnly])
    }

    @Test("A save applies the store's accessibility to an item of an earlier version")
    func accessibilityOfUpdates() async throws {
        try await Self.save(try .sample(for: Self.ada), in: self.store(accessibility: .afterFirstUnlock))
        #expect(self.keychain.accessibilities == [.afterFirstUnlock])
        try await Self.save(
            try .sample(for: Self.ada, generation: 2),
            in: self.store(accessibility: .afterFirstUnlockThisDeviceOnly)
        )
        #expect(self.keychain.accessibilities == [.afterFirstUnlockThisDeviceOnly])
    }

    @Test("Uses the caller's accessibility, and names and labels contain no secret", .covers(124))
    func attributes() async throws {
        let store = self.store(accessibility: .whenUnlockedThisDeviceOnly)
        let record = try SessionRecord.sample(for: Self.ada)
        try await Self.save(record, in: store)
        try await store.update(Self.ada) { entry in
            try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: record.generation))
        }
        #expect(self.keychain.accessibilities == [.whenUnlockedThisDeviceOnly])
        let token = record.tokens?.accessToken.withUnredacted { $0 } ?? ""
        try #require(!token.isEmpty)
        for item in self.keychain.everything {
            #expect(!"\(item.service) \(item.account) \(item.label)".contains(token))
            #expect(!String(decoding: item.attributes, as: UTF8.self).contains(token))
            #expect(!"\(item) \(String(reflecting: item))".contains(token))
        }
    }

    @Test("Stores a mark in its session's item until a save succeeds")
    func mark() async throws {
        let store = self.store()
        let record = try SessionRecord.sample(for: Self.ada, generation: 1)
        try await Self.save(record, in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(Self.ada) { try await $0.mark(mark) }
        #expect(self.keychain.keys.count == 1)
        self.keychain.fail("update", KeychainStatus.interactionNotAllowed, times: 1)
        let next = try SessionRecord.sample(for: Self.ada, generation: 2)
        await #expect(throws: StoreError.self) { try await Self.save(next, in: store) }
        var marked = record
        marked.refreshMark = mark
        #expect(try await store.load(Self.ada) == marked)
        try await Self.save(next, in: store)
        #expect(try await store.load(Self.ada) == next)
    }
}
