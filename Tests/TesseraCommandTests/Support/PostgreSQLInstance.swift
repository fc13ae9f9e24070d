// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine && PostgreSQL
internal import Foundation

/// A PostgreSQL of its own on loopback, which `Scripts/postgresql` starts and stops.
struct PostgreSQLInstance: Sendable, Decodable {
    let port: Int
    let database: String
    let password: String
    /// The address, with the password.
    let url: String

    /// What the commands call it.
    var name: String { "postgresql://127.0.0.1:\(self.port)/\(self.database)" }

    /// Starts one, plays with it, and stops it.
    static func play(_ body: (PostgreSQLInstance) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "tessera-postgresql-\(UUID().uuidString)"
        do {
            let facts = try await Self.script("start", folder)
            try await body(try JSONDecoder().decode(Self.self, from: facts))
        } catch {
            await Self.end(folder)
            throw error
        }
        await Self.end(folder)
    }

    /// Whether one can be started here.
    static let isPossible: Bool = {
        let files = FileManager.default
        let versions = (try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (versions.map { "/usr/lib/postgresql/\($0)/bin" } + path)
            .contains { files.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private static func end(_ folder: String) async {
        _ = try? await Self.script("stop", folder)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What it prints.
    private static func script(_ words: String...) async throws -> Data {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Scripts/postgresql").standardizedFileURL.path
        let child = try ChildProgram(script, words, environment: ProcessInfo.processInfo.environment)
        child.closeInput()
        let (output, status) = await child.finish()
        guard status == 0 else { throw SceneFailure("Scripts/postgresql \(words[0]) ended with \(status)") }
        return Data(output)
    }
}
#endif
