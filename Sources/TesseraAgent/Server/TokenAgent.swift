// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import LoopbackHTTP
internal import TesseraSupport
internal import Tessera

/// A token agent: gives programs of this user short-lived access tokens, by a Unix socket, and keeps the refresh tokens.
///
/// It trusts its user, as ssh-agent does: any program of that user gets any token. Programs of other users are refused
/// before a byte of theirs is read. One agent lives at a place at a time.
public final class TokenAgent: Sendable {
    /// Where it listens.
    public let place: AgentPlace
    private let desk: AgentDesk
    private let server: LoopbackServer
    private let lock: FileLock
    private let stopWanted: AsyncStream<Void>
    private let isStopped = Mutex(false)

    /// Starts an agent, in place of one that died there.
    ///
    /// - Parameters:
    ///   - place: where it listens; the directory is made with mode 0700 where there is none.
    ///   - accounts: whose tokens it gives.
    ///   - audit: where it writes who got what.
    ///   - memory: how this process's memory is protected, for ``AgentStatus``.
    ///   - now: the wall clock.
    /// - Returns: the agent, which already listens.
    /// - Throws: ``AgentError``: `alreadyRunning`; `unsafePlace` where the directory is not this user's alone.
    public static func start(
        at place: AgentPlace = .ofUser,
        accounts: any AgentAccounts,
        audit: AgentAudit,
        memory: MemoryProtection = MemoryProtection(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> TokenAgent {
        let (stopWanted, stop) = AsyncStream<Void>.makeStream()
        let desk = AgentDesk(accounts, audit: audit, memory: memory, now: now, stopWanted: stop)
        return try await BlockingExecutor.shared.run {
            try place.prepare()
            let lock = try Self.lock(place)
            do throws(LoopbackError) {
                let server = try LoopbackServer.start(at: place.socket, limits: Self.limits) { request in
                    await desk.answer(request)
                }
                return TokenAgent(place: place, desk: desk, server: server, lock: lock, stopWanted: stopWanted)
            } catch {
                lock.release()
                throw AgentError(error, at: place)
            }
        }
    }

    private init(
        place: AgentPlace,
        desk: AgentDesk,
        server: LoopbackServer,
        lock: FileLock,
        stopWanted: AsyncStream<Void>
    ) {
        self.place = place
        self.desk = desk
        self.server = server
        self.lock = lock
        self.stopWanted = stopWanted
    }

    /// Returns when a program asks the agent to stop, or this task is cancelled; call ``stop()`` then.
    public func waitForEnd() async {
        for await _ in self.stopWanted {}
    }

    /// Ends the agent: takes no new request, saves what a refresh brings that is under way, and gives its answers.
    public func stop() async {
        let isFirst = self.isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return await self.server.stopped() }
        // Whoever comes from now on finds nobody, and the socket of the next agent is not ours to remove.
        let socket = self.place.socket
        try? await BlockingExecutor.shared.run { try FileSystem.remove(socket) }
        await Task { await self.desk.close() }.value
        self.server.stop()
        await self.server.stopped()
        self.lock.release()
    }

    private static func lock(_ place: AgentPlace) throws -> FileLock {
        let lock = try FileLock(path: place.lock)
        guard try lock.tryLock() else {
            lock.release()
            throw AgentError(.alreadyRunning, detail: place.socket)
        }
        return lock
    }

    /// A request is small, and whoever sends it does nothing else: slow ones are not waited for.
    private static let limits = LoopbackLimits(
        headerBytes: 8 * 1024,
        bodyBytes: 64 * 1024,
        headerDeadline: .seconds(5),
        idle: .seconds(5),
        farewell: .seconds(2),
        connections: 64
    )
}
