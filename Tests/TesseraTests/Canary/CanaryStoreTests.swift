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

@Suite("Secrets in files")
struct CanaryStoreTests {
    @Test(
        "No token and no key of a file store is in anything that comes out of it, whatever is wrong with it",
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
            run.outputs.take(store)
            run.outputs.take(signIn)
            let key = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/keys/file-store.key")))
            run.canaries.add("file key", String(decoding: key, as: UTF8.self))
            run.canaries.add("file key", Data(key).base64EncodedString())
            run.canaries.add("file key", key.map { "\($0)" }.joined(separator: ", "))
            for path in try Self.files(folder) {
                let whole = try Data(contentsOf: URL(fileURLWithPath: path))
                var turned = Array(whole)
                turned[turned.count / 2] ^= 1
                for damaged in [whole.dropLast(7), Data(turned), Data(), whole + whole] {
                    try damaged.write(to: URL(fileURLWithPath: path))
                    await run.outputs.take { try await store.load(session.account) }
                    await run.outputs.take { try await store.update(session.account) { try await $0.load() } }
                    await run.outputs.take { try await signIn.restore() }
                    run.network.clock.advance(by: .seconds(3_600))
                    await run.outputs.take { try await session.accessToken() }
                }
                try whole.write(to: URL(fileURLWithPath: path))
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

    /// The session's file and the key's.
    private static func files(_ folder: String) throws -> [String] {
        let sessions = try FileManager.default.contentsOfDirectory(atPath: folder + "/store")
        return sessions.filter { $0.hasSuffix(".session") }.map { folder + "/store/" + $0 }
            + [folder + "/keys/file-store.key"]
    }
}
