// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraJSON
internal import TesseraSupport

/// Asks a token agent of this user.
///
/// Each call is a connection of its own. Nothing is sent before the directory of the socket was looked at, and the system
/// said that the program at its other end is this user's.
public struct AgentClient: Sendable {
    /// Where the agent is.
    public let place: AgentPlace
    private let timeout: Duration
    private let executor = BlockingExecutor()

    /// A client of the agent at a place.
    ///
    /// - Parameters:
    ///   - place: where it listens.
    ///   - timeout: how long an answer may take; the agent may have to renew a token for it.
    public init(_ place: AgentPlace = .ofEnvironment ?? .ofUser, timeout: Duration = .seconds(120)) {
        self.place = place
        self.timeout = timeout
    }

    /// A token that is valid now.
    ///
    /// - Throws: ``AgentError``.
    public func token(_ request: AgentTokenRequest = AgentTokenRequest()) async throws -> AgentToken {
        try await self.executor.run { try self.tokenBlocking(request) }
    }

    /// Requests a token in the calling thread and blocks it: for a short program's main thread, never for a task.
    ///
    /// - Throws: ``AgentError``.
    public func tokenBlocking(_ request: AgentTokenRequest) throws -> AgentToken {
        try AgentToken(try self.send("POST", AgentMessage.token, request.json.serialized()))
    }

    /// The accounts that the agent knows, without their tokens.
    ///
    /// - Throws: ``AgentError``.
    public func accounts() async throws -> [AgentAccount] {
        try await self.executor.run {
            let value = try self.send("GET", AgentMessage.accounts)
            return try (value["accounts"]?.elements.map(Array.init) ?? []).map { try AgentAccount($0) }
        }
    }

    /// How the agent stands.
    ///
    /// - Throws: ``AgentError``; `notRunning` where there is none.
    public func status() async throws -> AgentStatus {
        try await self.executor.run { try AgentStatus(try self.send("GET", AgentMessage.status)) }
    }

    /// Asks the agent to stop; it ends what it began first.
    ///
    /// - Throws: ``AgentError``.
    public func stop() async throws {
        _ = try await self.executor.run { try self.send("POST", AgentMessage.stop) }
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: [UInt8] = []) throws -> JSONValue {
        try self.place.check()
        let type = LoopbackRequest.Header(name: "Content-Type", value: "application/json")
        let request = LoopbackRequest(method: method, target: path, headers: body.isEmpty ? [] : [type], body: body)
        let answer: LocalAnswer
        do throws(LoopbackError) {
            answer = try LocalExchange.send(request, to: self.place.socket, timeout: self.timeout)
        } catch {
            throw AgentError(error, at: self.place)
        }
        return try AgentMessage.object(answer)
    }
}
