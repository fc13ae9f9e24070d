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
    /// Each session has had its token read: it holds what a session in use holds. The store is a file store, which keeps
    /// no record in memory.
    static func measure(_ name: String, count: Int) async throws {
        let store = try NamedStore.open(name)
        try await Accounts.save(0..<count, in: store)
        let signIn = SignIn(
            try Accounts.record(0).provider,
            transport: NoTransport(),
            store: store,
            userAgent: NoUserAgent()
        )
        guard let first = try await signIn.restore(Accounts.account(0)) else { throw SessionEnded(.signedOut) }
        _ = try await first.accessToken()
        var sessions: [OAuthSession] = []
        sessions.reserveCapacity(count)
        let before = try Self.residentBytes()
        for number in 1..<count {
            guard let session = try await signIn.restore(Accounts.account(number)) else {
                throw SessionEnded(.signedOut)
            }
            _ = try await session.accessToken()
            sessions.append(session)
        }
        let held = try Self.residentBytes() - before
        let tokens = try Accounts.tokenBytes(Accounts.record(1))
        print("session_bytes", Double(held) / Double(sessions.count) - Double(tokens), tokens)
        withExtendedLifetime(sessions) {}
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096
    }
}
#endif
