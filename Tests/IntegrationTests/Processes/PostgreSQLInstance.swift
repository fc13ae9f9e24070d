// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization

/// A PostgreSQL of its own on loopback, and what there is to know about it.
struct PostgreSQLInstance: Sendable, Decodable {
    /// The address, with the password.
    var url: String
    /// Where its data are.
    var folder: String

    /// Runs `body` beside a fresh instance.
    static func with<Result: Sendable>(
        _ body: (PostgreSQLInstance) async throws -> Result
    ) async throws -> Result {
        try await ProviderScript(name: "postgresql").with([], body)
    }

    /// Runs `body` while the server restarts again and again, by turns in order and as after a crash.
    func restarting<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (value: Result, restarts: Int) {
        let isOver = Mutex(false)
        let restarts = Mutex(0)
        async let loop: Void = {
            while !isOver.withLock({ $0 }) {
                let mode = restarts.withLock { $0 } % 2 == 0 ? "fast" : "immediate"
                let status = try await ChildProcess(ProviderScript.path("postgresql"), ["restart", self.folder, mode])
                    .exitStatus
                guard status == 0 else { throw ProviderScriptError(name: "postgresql", status: status) }
                restarts.withLock { $0 += 1 }
            }
        }()
        defer { isOver.withLock { $0 = true } }
        let value = try await body()
        isOver.withLock { $0 = true }
        try await loop
        return (value, restarts.withLock { $0 })
    }

    /// Why it cannot be started here; nil where it can.
    static let missing: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.isEmpty ? ChildProcess.missing(["initdb", "pg_ctl"]) : nil
    }()
}
