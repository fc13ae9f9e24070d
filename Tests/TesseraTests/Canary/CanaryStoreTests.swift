// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in file stores")
struct CanaryStoreTests {
    @Test(
        "Leaks no token or key of an encrypted file store, even if its files are damaged",
        .covers(124)
    )
    func files() async throws {
        let run = try CanaryRun()
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run.outputs.watching {
            let store = EncryptedFileStore(directory: folder + "/store", keyDirectory: folder + "/keys")
            let signIn = SignIn(
                try run.provider(),
                runtime: run.runtime(),
                store: store,
                userAgent: run.browser.agent,
                logger: run.outputs.logger
            )
            let session = try await signIn.signIn(scopes: [.openID])
            run.outputs.record(store)
            run.outputs.record(signIn)
            let key = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/keys/file-store.key")))
            run.canaries.add("file key", String(decoding: key, as: UTF8.self))
            run.canaries.add("file key", Data(key).base64EncodedString())
            run.canaries.add("file key", key.map { "\($0)" }.joined(separator: ", "))
            for path in try Self.files(folder) {
                let original = try Data(contentsOf: URL(fileURLWithPath: path))
                var flipped = Array(original)
                flipped[flipped.count / 2] ^= 1
                for damaged in [original.dropLast(7), Data(flipped), Data(), original + original] {
                    try damaged.write(to: URL(fileURLWithPath: path))
                    await run.outputs.record { try await store.load(session.account) }
                    await run.outputs.record { try await store.update(session.account) { try await $0.load() } }
                    await run.outputs.record { try await signIn.restore() }
                    run.network.clock.advance(by: .seconds(3_600))
                    await run.outputs.record { try await session.accessToken() }
                }
                try original.write(to: URL(fileURLWithPath: path))
            }
        }
        #expect(run.outputs.errors > 8)
        run.expectNoSecret(["file key", "refresh_token", "access_token", "id_token"])
    }

    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/tessera-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        return path
    }

    /// Returns the paths of the session file and the key file.
    private static func files(_ folder: String) throws -> [String] {
        let sessions = try FileManager.default.contentsOfDirectory(atPath: folder + "/store")
        return sessions.filter { $0.hasSuffix(".session") }.map { folder + "/store/" + $0 }
            + [folder + "/keys/file-store.key"]
    }
}
