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

@Suite("File store with a passphrase")
struct PassphraseStoreTests {
    /// Supplies a passphrase and records each request for it.
    private final class Prompt: Sendable {
        let requests = Mutex<[PassphrasePurpose]>([])
        private let passphrase: String

        init(_ passphrase: String) { self.passphrase = passphrase }

        func open(_ folder: StoreFolder) -> EncryptedFileStore {
            EncryptedFileStore(directory: folder.store) { purpose in
                self.requests.withLock { $0.append(purpose) }
                return Secret(self.passphrase)
            }
        }
    }

    private static func keyFile(_ folder: StoreFolder) -> String { folder.store + "/passphrase.key" }

    @Test("Opens sessions with the passphrase and requests it once")
    func reopened() async throws {
        let folder = try StoreFolder()
        let prompt = Prompt("correct horse")
        let store = prompt.open(folder)
        for account in [StoreFolder.ada, StoreFolder.bob] {
            try await store.update(account) { try await $0.save(try .sample(for: account)) }
        }
        #expect(prompt.requests.withLock { $0 } == [.choose])
        let second = Prompt("correct horse")
        let reopened = second.open(folder)
        #expect(try await reopened.load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
        #expect(try await reopened.load(StoreFolder.bob) == .sample(for: StoreFolder.bob))
        #expect(second.requests.withLock { $0 } == [.open])
        #expect(try StoreFolder.mode(Self.keyFile(folder)) == 0o600)
    }

    @Test("Accepts the largest permitted block size")
    func largeBlocks() async throws {
        let folder = try StoreFolder()
        let parameters = try ScryptParameters(cost: 1 << 17, blockSize: 16)
        let store = EncryptedFileStore(directory: folder.store, parameters: parameters) { _ in
            Secret("correct horse")
        }
        try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        #expect(try await Prompt("correct horse").open(folder).load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
    }

    @Test(
        "Rejects a wrong or empty passphrase with wrongPassphrase and changes nothing",
        arguments: ["Correct horse", ""]
    )
    func wrong(passphrase: String) async throws {
        let folder = try StoreFolder()
        let store = Prompt("correct horse").open(folder)
        try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        let before = try Dictionary(
            uniqueKeysWithValues: folder.names().map { ($0, try StoreFolder.read(folder.store + "/" + $0)) }
        )
        let wrongStore = Prompt(passphrase).open(folder)
        let newer = try SessionRecord.sample(for: StoreFolder.ada, generation: 2)
        let codes = [
            await StoreFolder.code { _ = try await wrongStore.load(StoreFolder.ada) },
            await StoreFolder.code { try await wrongStore.update(StoreFolder.ada) { try await $0.save(newer) } },
        ]
        #expect(codes == [.wrongPassphrase, .wrongPassphrase])
        for (name, bytes) in before { #expect(try StoreFolder.read(folder.store + "/" + name) == bytes, "\(name)") }
    }

    @Test(
        "Rejects a weak passphrase for a new store",
        .shows(claims: 6),
        arguments: [
            "", "short", "123456789", "1234567890", "abcdefghijkl", "aaaaaaaaaaaaaaaa", "ababababababab", "hellohello",
            "correctcorrectcorrect", "Password2024!", "PASSWORD!!!!", "qwertyuiop", "Qwertz123456", "iloveyou99",
            "20010911-2359",
        ]
    )
    func weak(passphrase: String) async throws {
        let folder = try StoreFolder()
        let store = Prompt(passphrase).open(folder)
        let error = await EncryptedFileStoreDamageTests.error {
            try await store.update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        }
        #expect(error?.code == .weakPassphrase)
        #expect(passphrase.isEmpty || error?.description.contains(passphrase) == false)
        #expect(!FileManager.default.fileExists(atPath: Self.keyFile(folder)))
    }

    @Test("Generates a different, strong passphrase of 24 letters and digits each time")
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

    @Test("Two stores created at the same time agree on one key")
    func race() async throws {
        let folder = try StoreFolder()
        let stores = [Prompt("one for both").open(folder), Prompt("one for both").open(folder)]
        try await withThrowingTaskGroup { group in
            for (store, account) in zip(stores, [StoreFolder.ada, StoreFolder.bob]) {
                group.addTask { try await store.update(account) { try await $0.save(try .sample(for: account)) } }
            }
            try await group.waitForAll()
        }
        let third = Prompt("one for both").open(folder)
        #expect(try await third.load(StoreFolder.ada) != nil)
        #expect(try await third.load(StoreFolder.bob) != nil)
        #expect(try folder.names().filter { $0.hasPrefix("passphrase.key") } == ["passphrase.key"])
    }

    @Test("Changes the passphrase, after which the old one no longer opens the sessions")
    func changed() async throws {
        let folder = try StoreFolder()
        let running = Prompt("old staple").open(folder)
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
        #expect(try await Prompt("new staple").open(folder).load(StoreFolder.ada) == .sample(for: StoreFolder.ada))
        let stale = Prompt("old staple").open(folder)
        #expect(await StoreFolder.code { _ = try await stale.load(StoreFolder.ada) } == .wrongPassphrase)
        // A program that already opened the store continues to work.
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
        "Reports a changed or truncated key file as damaged without requesting a passphrase",
        .covers(117)
    )
    func damage() async throws {
        let folder = try StoreFolder()
        try await Prompt("correct horse").open(folder)
            .update(StoreFolder.ada) { try await $0.save(try .sample(for: StoreFolder.ada)) }
        let path = Self.keyFile(folder)
        let original = try StoreFolder.read(path)
        #expect(original.count == 119)
        let prompt = Prompt("correct horse")
        let store = prompt.open(folder)
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 0x10
            for damaged in [bytes, Array(original[..<index])] {
                try StoreFolder.write(damaged, to: path)
                let code = await StoreFolder.code { _ = try await store.load(StoreFolder.ada) }
                // A newer version number takes precedence over other checks.
                #expect(code == .corrupt || (code == .newerFormat && 8...9 ~= index), "\(index)")
            }
        }
        #expect(prompt.requests.withLock { $0.isEmpty })
        try FileManager.default.removeItem(atPath: path)
        #expect(await StoreFolder.code { _ = try await store.load(StoreFolder.ada) } == .keyMissing)
        let write = await StoreFolder.code {
            try await store.update(StoreFolder.bob) { try await $0.save(try .sample(for: StoreFolder.bob)) }
        }
        #expect(write == .keyMissing)
        try StoreFolder.write(original, to: path)
        try StoreFolder.setMode(0o600, path)
        #expect(try await store.load(StoreFolder.ada) != nil)
    }

    @Test("Opens a released store of format 1", .covers(119))
    func formatOne() async throws {
        let folder = try StoreFolder()
        let fixture = StoreFolder.fixture("passphrase-1")
        let prompt = Prompt("a passphrase of long ago")
        if ProcessInfo.processInfo.environment["TESSERA_WRITE_FIXTURES"] == "1" {
            let store = prompt.open(folder)
            try await store.update(StoreFolder.ada) {
                try await $0.save(try .sample(for: StoreFolder.ada, generation: 3, size: 64))
            }
            try? FileManager.default.removeItem(atPath: fixture)
            try FileManager.default.copyItem(atPath: folder.store, toPath: fixture)
        } else {
            try FileManager.default.copyItem(atPath: fixture, toPath: folder.store)
            try StoreFolder.setMode(0o700, folder.store)
            for name in try folder.names() { try StoreFolder.setMode(0o600, folder.store + "/" + name) }
            let record = try await prompt.open(folder).load(StoreFolder.ada)
            #expect(try record == .sample(for: StoreFolder.ada, generation: 3, size: 64))
        }
    }

    @Test(
        "Rejects scrypt parameters that are too weak or too expensive",
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
