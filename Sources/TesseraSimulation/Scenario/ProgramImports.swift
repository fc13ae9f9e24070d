// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The account on a machine that an import belongs to.
struct ImportOwner: Hashable, Sendable {
    let machine: Int
    let subject: String
}

/// An import that has not succeeded, with what a program needs to resume it.
struct UnfinishedImport: Sendable {
    /// How a program reads the bytes of an import.
    enum Source: Sendable, CaseIterable {
        /// From memory.
        case bytes
        /// From memory, more than are sent in one chunk.
        case manyBytes
        /// From a sequence of unknown length that can be read again.
        case sequence
        /// From a sequence of unknown length that can be read once.
        case pipe
        /// From a sequence of known length.
        case measured
        /// From a sequence that is shorter than its length says.
        case mismeasured
    }

    let upload: Int
    let source: Source
    var bytes: [UInt8]
    let pieceSize: Int?
    let strategy: SimulatedUploadStrategy
    /// The encoded state of the upload.
    var state: [UInt8]?
    /// The process that uses the import, or nil if it has failed.
    var process: SimulatedProcess?

    /// The bytes as the body of an upload.
    var body: HTTPBody {
        let bytes = self.bytes
        switch self.source {
        case .bytes, .manyBytes: return HTTPBody(bytes)
        case .sequence: return HTTPBody(length: nil, isReplayable: true) { Self.chunks(of: bytes) }
        case .pipe:
            let rest = Mutex<[UInt8]?>(bytes)
            return HTTPBody(length: nil, isReplayable: false) { Self.chunks(of: rest.withLock { $0.take() } ?? []) }
        case .measured: return HTTPBody(length: Int64(bytes.count), isReplayable: true) { Self.chunks(of: bytes) }
        case .mismeasured:
            return HTTPBody(length: Int64(bytes.count + 1), isReplayable: true) { Self.chunks(of: bytes) }
        }
    }

    private static func chunks(of bytes: [UInt8]) -> HTTPBody.Next {
        var rest = bytes[...]
        return {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(30) }
            return Array(rest.prefix(30))
        }
    }
}

/// Resumable uploads whose sources and servers differ.
///
/// The state of an import is durable: no fault of a disk loses it.
extension ProgramFetches {
    /// Begins an import, or resumes one of the account on this machine that has not succeeded.
    func performImport(_ use: Use) async throws {
        let owner = ImportOwner(machine: use.process.machine.id, subject: use.session.account.name)
        var item = self.state.withLock { $0.resume(owner, in: use.process) }
        let state: UploadState?
        do {
            state = try item.state.map { try JSONDecoder().decode(UploadState.self, from: Data($0)) }
        } catch {
            // The server may have created an object already, so this is another upload.
            self.show(error, to: use)
            item = self.state.withLock { $0.begin(owner, in: use.process) }
            state = nil
        }
        let content = SimulatedContent(item.bytes)
        self.simulation.record(.uploading(use.operation, upload: item.upload, content), by: .process(use.process.id))
        let upload = Upload(
            try HTTPRequest(method: .post, url: "https://\(use.host)/import?upload=\(item.upload)"),
            metadata: HTTPBody("{}"),
            source: item.body,
            strategy: item.strategy,
            pieceSize: item.pieceSize
        )
        do {
            try await self.send(upload, from: state, item, owner, use)
        } catch {
            // An upload that cannot continue is begun again as another one.
            let isOver = error is UploadError || self.state.withLock { $0.imports[owner]?.state == nil }
            self.state.withLock { state in
                state.update(owner, item.upload) { item in
                    item?.process = nil
                    if isOver { item = nil }
                }
            }
            throw error
        }
        if use.process.isRunning { self.state.withLock { $0.update(owner, item.upload) { $0 = nil } } }
    }

    private func send(
        _ upload: Upload,
        from state: UploadState?,
        _ item: UnfinishedImport,
        _ owner: ImportOwner,
        _ use: Use
    ) async throws {
        let (fetcher, progress) = (self.fetcher(use), TransferProgress())
        guard self.chance(40) else {
            let isSaved = state != nil || self.chance(90)
            _ =
                isSaved
                ? try await fetcher.upload(upload, from: state, progress: progress) { saved in
                    try self.save(saved, item.upload, owner, use)
                }
                : try await fetcher.upload(upload, progress: progress)
            if let step = progress.latest, step.completed > item.bytes.count {
                let detail = "upload \(item.upload) has \(item.bytes.count) bytes, but \(step.completed) were reported"
                self.simulation.report(.uploadArrivesOnce, detail)
            }
            return
        }
        // The user cancels the upload, which another operation can resume.
        let task = self.simulation.start {
            _ = try await fetcher.upload(upload, from: state) { saved in
                try self.save(saved, item.upload, owner, use)
            }
        }
        let delay = self.state.withLock { $0.random.time(100_000_000...2_000_000_000) }
        try await self.simulation.clock.sleep(for: .nanoseconds(delay))
        await use.process.waitUntilResumed()
        task.cancel()
        do { try await task.value } catch is CancellationError { throw StoppedError() }
    }

    private func save(_ state: UploadState, _ upload: Int, _ owner: ImportOwner, _ use: Use) throws {
        guard use.process.mayOperate() else { throw CancellationError() }
        let isAuthorized = state.sessionURI.withUnredacted { $0.hasPrefix("https://\(use.host)/") }
        if !isAuthorized {
            self.simulation.report(.onlyAuthorizedOrigins, "upload \(upload) saved a session URI of another origin")
        }
        let bytes = Array(try JSONEncoder().encode(state))
        self.state.withLock { $0.update(owner, upload) { $0?.state = bytes } }
    }

    /// Cancels the account's import on this machine if it was interrupted.
    func cancelImport(_ use: Use) async throws {
        let owner = ImportOwner(machine: use.process.machine.id, subject: use.session.account.name)
        let item = self.state.withLock { state -> UnfinishedImport? in
            guard let known = state.imports[owner], known.state != nil, known.process?.isRunning != true else {
                return nil
            }
            state.imports[owner]?.process = use.process
            return known
        }
        guard let item, let bytes = item.state else { return }
        defer { self.state.withLock { $0.update(owner, item.upload) { $0 = nil } } }
        let state = try JSONDecoder().decode(UploadState.self, from: Data(bytes))
        try await self.fetcher(use).cancel(state, strategy: item.strategy)
    }
}

/// The error of an upload that the user has canceled.
private struct StoppedError: Error {}

extension ProgramFetches.State {
    /// Returns the account's unfinished import if no process is working on it, or a new one.
    ///
    /// The source of an import, or its state, can have been damaged since it was interrupted.
    fileprivate mutating func resume(_ owner: ImportOwner, in process: SimulatedProcess) -> UnfinishedImport {
        guard var known = self.imports[owner], known.process?.isRunning != true else {
            return self.begin(owner, in: process)
        }
        known.process = process
        if [.sequence, .pipe].contains(known.source), self.random.chance(30) {
            known.bytes = Array(known.bytes.prefix(known.bytes.count / 3))
        }
        if known.state != nil, self.random.chance(20) {
            let damaged = [#"{"format": 2}"#, #"{"format": 1, "sessionURI": "", "granularity": 0}"#]
            known.state = Array(self.pick(damaged).utf8)
        }
        self.imports[owner] = known
        return known
    }

    fileprivate mutating func begin(_ owner: ImportOwner, in process: SimulatedProcess) -> UnfinishedImport {
        self.lastUpload += 1
        let source: UnfinishedImport.Source =
            self.random.chance(2) ? .manyBytes : self.pick([.bytes, .sequence, .pipe, .measured, .mismeasured])
        let count = source == .manyBytes ? 600 << 10 : 40 + self.random.below(300)
        let first = UInt8(truncatingIfNeeded: self.random.next())
        let item = UnfinishedImport(
            upload: self.lastUpload,
            source: source,
            bytes: (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) },
            pieceSize: source == .manyBytes || self.random.chance(20) ? nil : 40 + self.random.below(80),
            strategy: SimulatedUploadStrategy(cancels: self.random.chance(60)),
            process: process
        )
        self.imports[owner] = item
        return item
    }

    /// Changes an import, unless a newer one has taken its place.
    fileprivate mutating func update(
        _ owner: ImportOwner,
        _ upload: Int,
        _ change: (inout UnfinishedImport?) -> Void
    ) {
        if self.imports[owner]?.upload == upload { change(&self.imports[owner]) }
    }
}
