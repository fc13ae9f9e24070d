// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting

/// The directories of a store and its key in a temporary folder that is removed with this value.
final class StoreFolder: Sendable {
    static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")

    /// Returns the path of a directory in `Fixtures`.
    static func fixture(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name)").path
    }

    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.path + "/tessera-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: self.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    var store: String { self.path + "/store" }
    var keys: String { self.path + "/keys" }
    var key: String { self.keys + "/file-store.key" }

    func open() -> EncryptedFileStore { EncryptedFileStore(directory: self.store, keyDirectory: self.keys) }

    /// Saves a record and returns the path of its file.
    @discardableResult
    func save(_ account: Account = StoreFolder.ada, generation: Int64 = 1, size: Int = 64) async throws -> String {
        let before = try Set(self.names(".session"))
        try await self.open()
            .update(account) { entry in
                try await entry.save(try .sample(for: account, generation: generation, size: size))
            }
        let new = try Set(self.names(".session")).subtracting(before)
        return self.store + "/" + (new.first ?? before.first ?? "")
    }

    func names(_ suffix: String = "") throws -> [String] {
        guard FileManager.default.fileExists(atPath: self.store) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: self.store).filter { $0.hasSuffix(suffix) }.sorted()
    }

    static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the code of the error thrown by `work`, or nil.
    static func code(_ work: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? StoreError)?.code }
    }

    static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
