// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A PostgreSQL server for tests on loopback, which `Scripts/postgresql` starts and stops.
public struct PostgreSQLInstance: Sendable, Decodable {
    /// The port on 127.0.0.1.
    public let port: Int
    /// The name of the database.
    public let database: String
    /// The password of the user.
    public let password: String
    /// The connection URL, with the password.
    public let url: String
    /// The connection URL without user and password, as it appears in errors.
    public var location: String { "postgresql://127.0.0.1:\(self.port)/\(self.database)" }
    /// The folder of the server's data.
    public let folder: String

    /// Runs `body` with a new server, which is always stopped afterwards.
    public static func with<Result>(_ body: (PostgreSQLInstance) async throws -> Result) async throws -> Result {
        try await Self.script.with([], body)
    }

    /// Stops the server, starts it again, and waits.
    ///
    /// - Parameters:
    ///   - mode: How the server stops. `immediate` is like a crash.
    ///   - seconds: The time to wait after the start.
    /// - Throws: ``ProviderScriptError`` if the server cannot be restarted.
    public func restart(_ mode: String = "fast", seconds: Double = 0) async throws {
        try await Self.script.run("restart", self.folder, mode, "\(seconds)")
    }

    /// Suspends all processes of the server.
    public func pause() async throws { try await Self.script.run("pause", self.folder) }

    /// Resumes all processes of the server.
    public func resume() async throws { try await Self.script.run("resume", self.folder) }

    /// Whether PostgreSQL is not installed on this machine.
    public static let isMissing: Bool = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let isInstalled = versions.contains {
            FileManager.default.isExecutableFile(atPath: "/usr/lib/postgresql/\($0)/bin/initdb")
        }
        return !isInstalled && ChildProgram.find("initdb") == nil
    }()

    private static let script = ProviderScript(name: "postgresql")
}
