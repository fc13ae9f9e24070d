// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraLocalProvider
internal import TesseraMigration
internal import TesseraOAuth

extension Scene {
    /// Writes a file to the home directory, by default accessible only to this user, and returns its path.
    func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) throws -> String {
        let path = self.home + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The options that an import from this provider requires.
    var issuerOptions: [String] { ["--issuer", self.provider.issuer, "--allow-loopback-http"] }

    /// Signs in, exports the session to a file, and returns the contents.
    func exportedFile(_ format: String = "token") async throws -> AuthorizedUserFile {
        try await self.login("--scope", Scene.driveScope, "--scope", "email")
        let path = self.home + "/exported-\(format)"
        let output = try await self.run("export", "--format", format, "--output", path)
        guard output.status == 0 else { throw SceneFailure(output.errors) }
        return try AuthorizedUserFile(parsing: self.read(path))
    }

    /// Returns the contents of all session files in the store, by name.
    func storedFiles() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: self.store) where name.hasSuffix(".session") {
            files[name] = try self.read(self.store + "/" + name)
        }
        return files
    }
}
