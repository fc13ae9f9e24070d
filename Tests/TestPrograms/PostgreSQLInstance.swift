// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A PostgreSQL of the tests' own on loopback, started and stopped by `Scripts/postgresql`.
public struct PostgreSQLInstance: Sendable, Decodable {
    /// The port at 127.0.0.1.
    public let port: Int
    /// The database's name.
    public let database: String
    /// The user's password.
    public let password: String
    /// The address, with the password.
    public let url: String
    /// What an error names.
    public var place: String { "postgresql://127.0.0.1:\(self.port)/\(self.database)" }
    /// Where its data are.
    public let folder: String

    /// Runs `body` beside a fresh one, which is stopped in any case.
    public static func with<Result>(_ body: (PostgreSQLInstance) async throws -> Result) async throws -> Result {
        try await Self.script.with([], body)
    }

    /// Stops the server, with `immediate` as a crash does, starts it again, and lets it be for a time.
    public func restart(_ mode: String = "fast", seconds: Double = 0) async throws {
        try await Self.script.run("restart", self.folder, mode, "\(seconds)")
    }

    /// Stops all its processes where they stand.
    public func pause() async throws { try await Self.script.run("pause", self.folder) }

    /// Lets them go on.
    public func resume() async throws { try await Self.script.run("resume", self.folder) }

    /// Whether none can be started here.
    public static let isMissing: Bool = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let isThere = versions.contains {
            FileManager.default.isExecutableFile(atPath: "/usr/lib/postgresql/\($0)/bin/initdb")
        }
        return !isThere && ChildProgram.find("initdb") == nil
    }()

    private static let script = ProviderScript(name: "postgresql")
}
