// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
@testable internal import TesseraPostgreSQL
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

/// Statements whose responses are lost, on a server in memory.
@Suite("Lost responses of PostgreSQL")
struct LostResponseInternalTests {
    /// A server with one temporary value, which loses the responses to the statements with a name.
    private final class Server: SQLServer {
        private struct ConnectionLostError: Error {}

        private struct State {
            var content: [UInt8]?
            var losses: Int
            var executes: Bool
        }

        private let state: Mutex<State>

        init(losses: Int, executes: Bool) {
            self.state = Mutex(State(content: nil, losses: losses, executes: executes))
        }

        func run(_ statement: SQLStatement, _ values: [SQLValue]) throws -> [[SQLValue]] {
            try self.state.withLock { state in
                switch statement.name {
                case "tessera_keep_transient": state.content = values[1].bytes
                case "tessera_take_transient":
                    let isLost = state.losses > 0
                    if isLost { state.losses -= 1 }
                    if isLost, !state.executes { throw ConnectionLostError() }
                    let content = state.content
                    state.content = nil
                    if isLost { throw ConnectionLostError() }
                    return content.map { [[SQLValue($0)]] } ?? []
                default: break
                }
                return []
            }
        }
    }

    private static func store(_ server: Server) async throws -> PostgreSQLStore {
        let store = try PostgreSQLStore(
            simulating: server,
            keys: StoreKeys(try StoreKey([UInt8](repeating: 1, count: StoreKey.length))),
            clock: TestClock(),
            executor: BlockingExecutor()
        )
        let now = Date(timeIntervalSince1970: 0)
        try await store.save([1, 2, 3], as: "state", until: now.addingTimeInterval(60), now: now)
        return store
    }

    @Test("Takes a temporary value on a new connection if the statement was lost")
    func lostStatement() async throws {
        let store = try await Self.store(Server(losses: 1, executes: false))
        #expect(try await store.take("state", now: Date(timeIntervalSince1970: 0)) == [1, 2, 3])
    }

    @Test("Reports that the server is unreachable, not that a temporary value is missing, if the response was lost")
    func lostResponse() async throws {
        let store = try await Self.store(Server(losses: 1, executes: true))
        let error = await #expect(throws: StoreError.self) {
            try await store.take("state", now: Date(timeIntervalSince1970: 0))
        }
        #expect(error?.code == .unreachable)
        #expect(try await store.take("state", now: Date(timeIntervalSince1970: 0)) == nil)
    }
}
#endif
