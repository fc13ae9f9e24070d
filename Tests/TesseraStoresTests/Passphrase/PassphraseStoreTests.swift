// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraStores
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("A file store whose key a passphrase opens")
struct PassphraseStoreTests {
    /// Who knows the passphrase, and how often they were asked.
    private final class Person: Sendable {
        let asked = Mutex<[PassphrasePurpose]>([])
        private let passphrase: String

        init(_ passphrase: String) { self.passphrase = passphrase }

        func open(_ folder: StoreFolder) -> EncryptedFileStore {
            EncryptedFileStore(directory: folder.store) { purpose in
                self.asked.withLock { $0.append(purpose) }
                return Secret(self.passphrase)
            }
        }
    }

    private static func keyFile(_ folder: StoreFolder) -> String { folder.store + "/passphrase.key" }

    @Test("Sessions are there for whoever has the passphrase, who is asked once")
    func reopened() async throws {
        let folder = try StoreFolder()
        let person = Person("correct horse")
        let store = person.open(folder)
        for account in [StoreFolder.ada, StoreFolder.bob] {
            try await store.update(account) { try await $0.save(try .sample(for: account)) }
        }
        #expect(person.asked.withLock { $0 } == [.choose])
        let again = Person("correct horse")
        let reopened = again.open(folder)
        #expect(try await reopened.load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
        #expect(try await reopened.load(StoreFolder.bob) == .sample(for: StoreFolder.bob))
        #expect(again.asked.withLock { $0 } == [.open])
        #expect(try StoreFolder.mode(Self.keyFile(folder)) == 0o600)
    }

    @Test("The largest blocks that are permitted do")
    func largeBlocks() async throws {
        let folder = try StoreFolder()
        let parameters = try ScryptParameters(cost: 1 << 17, blockSize: 16)
        let store = EncryptedFileStore(directory: folder.store, parameters: parameters) { _ in
            Secret("correct horse")
        }
        try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        #expect(try await Person("correct horse").open(folder).load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
    }

    @Test(
        "A wrong passphrase and an empty one open nothing, change nothing, and say which it was",
        arguments: ["Correct horse", ""]
    )
    func wrong(passphrase: String) async throws {
        let folder = try StoreFolder()
        let store = Person("correct horse").open(folder)
        try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        let before = try Dictionary(
            uniqueKeysWithValues: folder.names().map { ($0, try StoreFolder.read(folder.store + "/" + $0)) }
        )
        let stranger = Person(passphrase).open(folder)
        let newer = try SessionRecord.sample(for: StoreFolder.ada, generation: 2)
        let codes = [
            await StoreFolder.code { _ = try await stranger.load(StoreFolder.ada) },
            await StoreFolder.code { try await stranger.update(StoreFolder.ada) { try await $0.save(newer) } },
        ]
        #expect(codes == [.wrongPassphrase, .wrongPassphrase])
        for (name, bytes) in before { #expect(try StoreFolder.read(folder.store + "/" + name) == bytes, "\(name)") }
    }

    @Test(
        "A passphrase that anyone would try first makes no store",
        .shows(claims: 6),
        arguments: [
            "", "short", "123456789", "1234567890", "abcdefghijkl", "aaaaaaaaaaaaaaaa", "ababababababab", "hellohello",
            "correctcorrectcorrect", "Password2024!", "PASSWORD!!!!", "qwertyuiop", "Qwertz123456", "iloveyou99",
            "20010911-2359",
        ]
    )
    func weak(passphrase: String) async throws {
        let folder = try StoreFolder()
        let store = Person(passphrase).open(folder)
        let error = await EncryptedFileStoreDamageTests.error {
            try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        }
        #expect(error?.code == .weakPassphrase)
        #expect(passphrase.isEmpty || error?.description.contains(passphrase) == false)
        #expect(!FileManager.default.fileExists(atPath: Self.keyFile(folder)))
    }

    @Test("A generated passphrase has 24 letters and digits in groups, differs each time, and is accepted")
    func generated() {
        let passphrases = (0..<100).map { _ in EncryptedFileStore.generatePassphrase() }
        #expect(Set(passphrases).count == 100)
        for passphrase in passphrases {
            #expect(EncryptedFileStore.weakness(ofPassphrase: passphrase) == nil)
            let groups = passphrase.withUnredacted { $0.split(separator: "-") }
            #expect(groups.count == 6)
            #expect(groups.allSatisfy { $0.count == 4 })
        }
        for strong in ["correct horse", "x9!kQ2#mLp", "three words here", "пароль-из-слов", "3141592653589793"] {
            #expect(EncryptedFileStore.weakness(ofPassphrase: Secret(strong)) == nil, "\(strong)")
        }
    }

    @Test("Two stores that are made at one time agree on one key")
    func race() async throws {
        let folder = try StoreFolder()
        let stores = [Person("one for both").open(folder), Person("one for both").open(folder)]
        try await withThrowingTaskGroup { group in
            for (store, account) in zip(stores, [StoreFolder.ada, StoreFolder.bob]) {
                group.addTask { try await store.update(account) { try await $0.save(try .sample(for: account)) } }
            }
            try await group.waitForAll()
        }
        let third = Person("one for both").open(folder)
        #expect(try await third.load(StoreFolder.ada) != nil)
        #expect(try await third.load(StoreFolder.bob) != nil)
        #expect(try folder.names().filter { $0.hasPrefix("passphrase.key") } == ["passphrase.key"])
    }

    @Test("With another passphrase the same sessions open, and the old passphrase opens nothing any more")
    func changed() async throws {
        let folder = try StoreFolder()
        let running = Person("old staple").open(folder)
        try await running.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        let wrong = await StoreFolder.code {
            try await EncryptedFileStore.changePassphrase(
                ofStore: folder.store,
                from: Secret("odd"),
                to: Secret("new staple")
            )
        }
        #expect(wrong == .wrongPassphrase)
        let weak = await StoreFolder.code {
            try await EncryptedFileStore.changePassphrase(
                ofStore: folder.store,
                from: Secret("old staple"),
                to: Secret("password99")
            )
        }
        #expect(weak == .weakPassphrase)
        let parameters = try ScryptParameters(cost: 1 << 17, parallelization: 2)
        try await EncryptedFileStore.changePassphrase(
            ofStore: folder.store,
            from: Secret("old staple"),
            to: Secret("new staple"),
            parameters: parameters
        )
        let file = try StoreFolder.read(Self.keyFile(folder))
        #expect(Array(file[10..<19]) == [17, 0, 0, 0, 8, 0, 0, 0, 2])
        #expect(try await Person("new staple").open(folder).load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
        let stale = Person("old staple").open(folder)
        #expect(await StoreFolder.code { _ = try await stale.load(StoreFolder.ada) } == .wrongPassphrase)
        // A program that has opened it goes on.
        let newer = try SessionRecord.sample(for: StoreFolder.ada, generation: 2)
        try await running.update(StoreFolder.ada) { try await $0.save(newer) }
        let missing = try StoreFolder()
        let none = await StoreFolder.code {
            try await EncryptedFileStore.changePassphrase(
                ofStore: missing.store,
                from: Secret("old staple"),
                to: Secret("new staple")
            )
        }
        #expect(none == .keyMissing)
    }

    @Test(
        "A key file that was cut off or changed at any byte is damaged, and no passphrase is tried on it",
        .covers(117)
    )
    func damage() async throws {
        let folder = try StoreFolder()
        try await Person("correct horse").open(folder)
            .update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        let path = Self.keyFile(folder)
        let whole = try StoreFolder.read(path)
        #expect(whole.count == 119)
        let person = Person("correct horse")
        let store = person.open(folder)
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x10
            for damaged in [bytes, Array(whole[..<index])] {
                try StoreFolder.write(damaged, to: path)
                let code = await StoreFolder.code { _ = try await store.load(StoreFolder.ada) }
                // Another version's number is believed before anything else is looked at.
                #expect(code == .corrupt || (code == .newerFormat && 8...9 ~= index), "\(index)")
            }
        }
        #expect(person.asked.withLock { $0.isEmpty })
        try FileManager.default.removeItem(atPath: path)
        #expect(await StoreFolder.code { _ = try await store.load(StoreFolder.ada) } == .keyMissing)
        let write = await StoreFolder.code {
            try await store.update(StoreFolder.bob) { try await $0.save(try .sample(for: StoreFolder.bob)) }
        }
        #expect(write == .keyMissing)
        try StoreFolder.write(whole, to: path)
        try StoreFolder.setMode(0o600, path)
        #expect(try await store.load(StoreFolder.ada) != nil)
    }

    @Test("A store of format 1 that was once released opens for ever", .covers(119))
    func formatOne() async throws {
        let folder = try StoreFolder()
        let fixture = StoreFolder.fixture("passphrase-1")
        let person = Person("a passphrase of long ago")
        if ProcessInfo.processInfo.environment["TESSERA_WRITE_FIXTURES"] == "1" {
            let store = person.open(folder)
            try await store.update(StoreFolder.ada) {
                try await $0.save(try .sample(for: StoreFolder.ada, generation: 3, size: 64))
            }
            try? FileManager.default.removeItem(atPath: fixture)
            try FileManager.default.copyItem(atPath: folder.store, toPath: fixture)
        } else {
            try FileManager.default.copyItem(atPath: fixture, toPath: folder.store)
            try StoreFolder.setMode(0o700, folder.store)
            for name in try folder.names() { try StoreFolder.setMode(0o600, folder.store + "/" + name) }
            let record = try await person.open(folder).load(StoreFolder.ada)
            #expect(try record == .sample(for: StoreFolder.ada, generation: 3, size: 64))
        }
    }

    @Test(
        "Parameters that cost an attacker too little, or this machine too much, are refused",
        arguments: [
            (1 << 16, 8, 1), ((1 << 17) + 1, 8, 1), (1 << 23, 8, 1), (1 << 17, 4, 1), (1 << 22, 16, 1),
            (1 << 17, 8, 0),
        ]
    )
    func parameters(cost: Int, blockSize: Int, parallelization: Int) {
        #expect(throws: InvalidRequestError.self) {
            try ScryptParameters(cost: cost, blockSize: blockSize, parallelization: parallelization)
        }
    }
}
