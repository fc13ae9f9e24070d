// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraJSON
internal import TesseraSupport

/// A client for the current user's token agent.
///
/// Each request uses a separate connection, and up to 8 requests are sent concurrently. Nothing is sent until the socket's
/// directory has been checked and the system has confirmed that the other process belongs to this user.
public struct AgentClient: Sendable {
    /// The agent's location.
    public let location: AgentLocation
    private let timeout: Duration
    /// The executors on which requests wait, so that a slow refresh does not delay other requests.
    private let executors = LeastBusy((0..<8).map { _ in BlockingExecutor() })

    /// Creates a client for the agent at a location.
    ///
    /// - Parameters:
    ///   - location: The agent's location.
    ///   - timeout: The time limit for a response, which can include refreshing a token.
    public init(_ location: AgentLocation = .fromEnvironment ?? .currentUser, timeout: Duration = .seconds(120)) {
        self.location = location
        self.timeout = timeout
    }

    /// Returns a valid access token.
    ///
    /// - Throws: ``AgentError`` if the agent cannot be reached or does not return a token.
    public func token(_ request: AgentTokenRequest = AgentTokenRequest()) async throws -> AgentToken {
        try await self.run { try self.tokenBlocking(request) }
    }

    /// Returns a valid access token, blocking the calling thread.
    ///
    /// Use this method on the main thread of a short-lived program, but not in a task.
    ///
    /// - Throws: ``AgentError`` if the agent cannot be reached or does not return a token.
    public func tokenBlocking(_ request: AgentTokenRequest) throws -> AgentToken {
        try AgentToken(try self.send("POST", AgentMessage.token, request.json.serialized()))
    }

    /// Returns the agent's accounts, without their tokens.
    ///
    /// - Throws: ``AgentError`` if the agent cannot be reached or rejects the request.
    public func accounts() async throws -> [AgentAccount] {
        try await self.run {
            let value = try self.send("GET", AgentMessage.accounts)
            return try (value["accounts"]?.elements.map(Array.init) ?? []).map { try AgentAccount($0) }
        }
    }

    /// Returns the agent's status.
    ///
    /// - Throws: ``AgentError``, for example with the code `notRunning` if there is no agent.
    public func status() async throws -> AgentStatus {
        try await self.run { try AgentStatus(try self.send("GET", AgentMessage.status)) }
    }

    /// Asks the agent to stop after it finishes the requests in progress.
    ///
    /// - Throws: ``AgentError`` if the agent cannot be reached or rejects the request.
    public func stop() async throws {
        _ = try await self.run { try self.send("POST", AgentMessage.stop) }
    }

    private func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await self.executors.use { try await $0.run(work) }
    }

    @discardableResult
    private func send(_ method: String, _ path: String, _ body: [UInt8] = []) throws -> JSONValue {
        try self.location.check()
        let type = LoopbackRequest.Header(name: "Content-Type", value: "application/json")
        let request = LoopbackRequest(method: method, target: path, headers: body.isEmpty ? [] : [type], body: body)
        let response: LocalResponse
        do throws(LoopbackError) {
            response = try LocalExchange.send(request, to: self.location.socket, timeout: self.timeout)
        } catch {
            throw AgentError(error, at: self.location)
        }
        return try AgentMessage.object(response)
    }
}
