// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc)
internal import Foundation
internal import BenchmarkSession
internal import Tessera

/// What a server's process pays for each session that it holds.
enum LiveSessions {
    /// Prints by how many bytes the process grew for each of `count` sessions, beyond those of its tokens.
    ///
    /// Each session was refreshed once: it holds what a session in use holds. The store is a file store, which keeps
    /// no record in memory.
    static func measure(_ name: String, count: Int) async throws {
        let store = try NamedStore.open(name)
        try await Accounts.save(0..<count, in: store)
        // The first one makes what all share.
        _ = try await Refreshing.sessions(of: 0..<1, in: store)
        let before = try Self.residentBytes()
        let (sessions, expire) = try await Refreshing.sessions(of: 0..<count, in: store)
        expire()
        for session in sessions { _ = try await session.accessToken() }
        let held = try Self.residentBytes() - before
        let tokens = sessions.map { Accounts.tokenBytes($0.record) }.reduce(0, +) / sessions.count
        print("session_bytes", Double(held) / Double(sessions.count) - Double(tokens), tokens)
        withExtendedLifetime(sessions) {}
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096
    }
}
#endif
