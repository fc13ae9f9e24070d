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
    private let identity: [UInt64]?
    private let stopWanted: AsyncStream<Void>
    private let isStopped = Mutex(false)

    /// Starts an agent, in place of one that died there.
    ///
    /// - Parameters:
    ///   - place: where it listens; a missing directory is created with mode 0700.
    ///   - accounts: whose tokens it gives.
    ///   - audit: where it writes who got what.
    ///   - memory: how this process's memory is protected, for ``AgentStatus``.
    ///   - now: the wall clock.
    /// - Returns: the agent, which already listens.
    /// - Throws: ``AgentError``: `alreadyRunning`; `unsafePlace` where the directory is not this user's alone, or something
    ///   else than a dead agent's socket is at the path; `unwritableAudit`.
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
            do {
                try audit.prepare()
                let server = try Self.listen(at: place, desk)
                return TokenAgent(place: place, desk: desk, server: server, lock: lock, stopWanted: stopWanted)
            } catch {
                lock.release()
                throw error
            }
        }
    }

    private static func listen(at place: AgentPlace, _ desk: AgentDesk) throws -> LoopbackServer {
        do throws(LoopbackError) {
            return try LoopbackServer.start(at: place.socket, limits: Self.limits) { await desk.answer($0) }
        } catch {
            throw AgentError(listening: error, at: place)
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
        self.identity = place.identity
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
        // From now on clients find no agent. Another agent's socket is there if the lock's file was removed.
        let (place, identity) = (self.place, self.identity)
        try? await BlockingExecutor.shared.run {
            if place.identity == identity { try FileSystem.remove(place.socket) }
        }
        await Task { await self.desk.close() }.value
        self.server.stop()
        await self.server.stopped()
        self.lock.release()
    }

    private static func lock(_ place: AgentPlace) throws -> FileLock {
        do {
            let lock = try FileLock(path: place.lock)
            if try lock.tryLock() { return lock }
            lock.release()
        } catch {
            throw AgentError(.unsafePlace, detail: error.description)
        }
        throw AgentError(.alreadyRunning, detail: place.socket)
    }

    /// Requests are small, and the client does nothing else until the response.
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

    /// How many clients are served at a time: at most half of the descriptors that the store and the network leave.
    static func connections(descriptors: Int) -> Int {
        descriptors < 0 ? 64 : min(64, max(4, (descriptors - 48) / 2))
    }
}

/// What keeps a process's memory from other programs and from the disk.
public struct MemoryProtection: Sendable, Hashable {
    /// Whether neither a core dump nor a debugger of this user gets at it.
    public let refusesDumps: Bool
    /// Whether it is never written to swap.
    public let isLocked: Bool

    /// No protection, or what is known of another process.
    public init(refusesDumps: Bool = false, isLocked: Bool = false) {
        self.refusesDumps = refusesDumps
        self.isLocked = isLocked
    }

    /// Protects this process, as far as the system allows it.
    ///
    /// For a program that does nothing else: debuggers and crash reports are of no use from then on. Memory is locked only
    /// where the limit on it can be lifted, since a finite one would end the program when it is reached.
    ///
    /// - Returns: what is protected now.
    public static func take() -> MemoryProtection {
        MemoryProtection(refusesDumps: tessera_refuse_dumps() == 0, isLocked: tessera_lock_memory() == 0)
    }
}
