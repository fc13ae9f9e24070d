// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import CTesseraPOSIX
internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// A server that gives the user's programs short-lived access tokens over a Unix socket.
///
/// The refresh tokens stay in the agent. Like ssh-agent, the agent trusts its user, so any of the user's programs can
/// get any token. Connections from other users are rejected before any data is read. Only one agent can run at each
/// location.
public final class TokenAgent: Sendable {
    /// The location at which the agent listens.
    public let location: AgentLocation
    private let handler: AgentRequestHandler
    private let server: LoopbackServer
    private let lock: FileLock
    /// The identity of the socket's file, which the agent removes, or nil if the socket is inherited.
    private let identity: [UInt64]?
    private let stopWanted: AsyncStream<Void>
    private let isStopped = Mutex(false)

    /// Starts an agent, replacing the socket of an agent that has died.
    ///
    /// - Parameters:
    ///   - location: The location to listen at. A missing directory is created with mode 0700.
    ///   - accounts: The accounts for which the agent provides tokens.
    ///   - audit: The audit log for granted and refused requests.
    ///   - memory: The protection that applies to this process's memory, for ``AgentStatus``.
    ///   - now: A closure that returns the current time.
    /// - Returns: The agent, which is already listening.
    /// - Throws: ``AgentError`` with the code `alreadyRunning`, `unsafeLocation` if the directory is not private to
    ///   this user or if the path exists and is not the socket of an agent that has died, or `unwritableAudit`.
    public static func start(
        at location: AgentLocation = .currentUser,
        accounts: any AgentAccounts,
        audit: AgentAudit,
        memory: MemoryProtection = MemoryProtection(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> TokenAgent {
        try await Self.start(at: location, inherited: nil, accounts, audit, memory, now)
    }

    /// Starts an agent that listens at an inherited socket.
    ///
    /// The agent neither replaces nor removes the socket's file. When it stops, connections that it has not accepted
    /// wait for the next agent.
    ///
    /// - Parameters:
    ///   - socket: The socket, which stays open until the process exits.
    ///   - accounts: The accounts for which the agent provides tokens.
    ///   - audit: The audit log for granted and refused requests.
    ///   - memory: The protection that applies to this process's memory, for ``AgentStatus``.
    ///   - now: A closure that returns the current time.
    /// - Returns: The agent, which is already listening.
    /// - Throws: ``AgentError`` with the code `alreadyRunning`, `unsafeLocation` if the directory is not private to
    ///   this user, or `unwritableAudit`.
    public static func start(
        on socket: InheritedSocket,
        accounts: any AgentAccounts,
        audit: AgentAudit,
        memory: MemoryProtection = MemoryProtection(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> TokenAgent {
        try await Self.start(at: socket.location, inherited: socket.listener, accounts, audit, memory, now)
    }

    private static func start(
        at location: AgentLocation,
        inherited listener: InheritedListener?,
        _ accounts: any AgentAccounts,
        _ audit: AgentAudit,
        _ memory: MemoryProtection,
        _ now: @escaping @Sendable () -> Date
    ) async throws -> TokenAgent {
        let (stopWanted, stop) = AsyncStream<Void>.makeStream()
        let handler = AgentRequestHandler(accounts, audit: audit, memory: memory, now: now, stopWanted: stop)
        return try await BlockingExecutor.shared.run {
            try location.prepare()
            let lock = try Self.lock(location)
            do {
                try audit.prepare()
                let server = try Self.listen(at: location, inherited: listener, handler)
                return TokenAgent(
                    location: location,
                    handler: handler,
                    server: server,
                    lock: lock,
                    identity: listener == nil ? location.identity : nil,
                    stopWanted: stopWanted
                )
            } catch {
                lock.release()
                throw error
            }
        }
    }

    private static func listen(
        at location: AgentLocation,
        inherited listener: InheritedListener?,
        _ handler: AgentRequestHandler
    ) throws -> LoopbackServer {
        do throws(LoopbackError) {
            if let listener {
                return try LoopbackServer.start(on: listener, limits: Self.limits) { await handler.response($0) }
            }
            return try LoopbackServer.start(at: location.socket, limits: Self.limits) { await handler.response($0) }
        } catch {
            throw AgentError(listening: error, at: location)
        }
    }

    private init(
        location: AgentLocation,
        handler: AgentRequestHandler,
        server: LoopbackServer,
        lock: FileLock,
        identity: [UInt64]?,
        stopWanted: AsyncStream<Void>
    ) {
        self.location = location
        self.handler = handler
        self.server = server
        self.lock = lock
        self.identity = identity
        self.stopWanted = stopWanted
    }

    /// Returns when a program asks the agent to stop or the task is canceled.
    ///
    /// Call ``stop()`` afterward.
    public func waitForEnd() async {
        for await _ in self.stopWanted {}
    }

    /// Stops the agent after saving and responding to the requests in progress, without accepting new ones.
    public func stop() async {
        guard self.isStopped.setOnce() else { return await self.server.stopped() }
        if let identity = self.identity {
            // Remove the socket so that clients no longer find the agent. If the lock file was removed, the socket may
            // belong to another agent and must stay.
            let location = self.location
            try? await BlockingExecutor.shared.run {
                if location.identity == identity { try FileSystem.remove(location.socket) }
            }
        } else {
            self.server.stopListening()
        }
        await Task { await self.handler.close() }.value
        self.server.stop()
        await self.server.stopped()
        self.lock.release()
    }

    private static func lock(_ location: AgentLocation) throws -> FileLock {
        do {
            let lock = try FileLock(path: location.lock)
            if try lock.tryLock() { return lock }
            lock.release()
        } catch {
            throw AgentError(.unsafeLocation, detail: error.description)
        }
        throw AgentError(.alreadyRunning, detail: location.socket)
    }

    /// Limits for small requests from clients that are waiting for the response.
    private static var limits: LoopbackLimits {
        LoopbackLimits(
            headerBytes: 8 * 1024,
            bodyBytes: 64 * 1024,
            headerDeadline: .seconds(5),
            idle: .seconds(5),
            farewell: .seconds(2),
            connections: Self.connections(descriptors: sysconf(Int32(_SC_OPEN_MAX))),
            grace: .seconds(1)
        )
    }

    /// Returns the maximum number of concurrent clients, which use at most half of the file descriptors that
    /// the store and the network leave.
    static func connections(descriptors: Int) -> Int {
        descriptors < 0 ? 64 : min(64, max(4, (descriptors - 48) / 2))
    }
}

/// Protection of a process's memory from other programs and from being written to disk.
public struct MemoryProtection: Sendable, Hashable {
    /// Whether core dumps and debuggers of the same user are denied access to the memory.
    public let refusesDumps: Bool
    /// Whether the memory is locked, so that it is never written to swap.
    public let isLocked: Bool

    /// Creates a value without protection, or with the protection of another process.
    public init(refusesDumps: Bool = false, isLocked: Bool = false) {
        self.refusesDumps = refusesDumps
        self.isLocked = isLocked
    }

    /// Protects this process's memory, as far as the system allows.
    ///
    /// Use this method in a dedicated process, because debuggers and crash reports no longer work. Memory is locked
    /// only if its limit can be removed, because the process would otherwise be terminated when it reaches the limit.
    ///
    /// - Returns: The protection that is in effect.
    public static func take() -> MemoryProtection {
        MemoryProtection(refusesDumps: tessera_refuse_dumps() == 0, isLocked: tessera_lock_memory() == 0)
    }
}
