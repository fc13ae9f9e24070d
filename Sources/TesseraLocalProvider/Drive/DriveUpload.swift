// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraSupport

/// An upload session with the bytes received so far.
///
/// The bytes are stored in a hidden file in the data directory, or in memory if there is no data directory. Appending
/// and completing block the thread.
final class DriveUpload: Sendable {
    /// The maximum size of an upload in bytes if there is no data directory.
    static let memoryLimit: Int64 = 64 << 20

    private struct State {
        var received: Int64 = 0
        var total: Int64?
        var memory: [UInt8] = []
        var turn = 0
        var isClosed = false
        var response: ProviderResponse?
    }

    /// The call that started the session.
    let call: APICall
    let metadata: FileMetadata
    /// The hidden file in the data directory.
    let temporary: DriveDirectory.Temporary?
    private let state: Mutex<State>

    init(_ call: APICall, metadata: FileMetadata, total: Int64?, temporary: DriveDirectory.Temporary?) {
        self.call = call
        self.metadata = metadata
        self.temporary = temporary
        self.state = Mutex(State(total: total))
    }

    var received: Int64 { self.state.withLock { $0.received } }
    var memory: [UInt8] { self.state.withLock { $0.memory } }

    /// The response sent when the upload was completed.
    var response: ProviderResponse? {
        get { self.state.withLock { $0.response } }
        set {
            self.state.withLock {
                $0.response = newValue
                $0.memory = []
            }
        }
    }

    /// Returns whether a total length is consistent with earlier requests.
    func agrees(withTotal total: Int64?) -> Bool {
        self.state.withLock { $0.total == nil || total == nil || $0.total == total }
    }

    /// Whether all bytes have been received.
    var isComplete: Bool { self.state.withLock { $0.total == nil || $0.total == $0.received } }

    /// Starts receiving a body and returns its turn.
    ///
    /// A body with an earlier turn can no longer append any bytes.
    func beginTaking(total: Int64?) -> Int {
        self.state.withLock { state in
            state.total = state.total ?? total
            state.turn += 1
            return state.turn
        }
    }

    /// Appends bytes at a position, skipping those that have already been received.
    ///
    /// - Returns: False if another request has taken over or the session has ended.
    func append(_ bytes: ArraySlice<UInt8>, at position: Int64, turn: Int) throws(APIFailure) -> Bool {
        try self.state.withLock { state throws(APIFailure) in
            guard state.turn == turn, !state.isClosed, state.response == nil else { return false }
            let known = max(0, state.received - position)
            guard known < Int64(bytes.count) else { return true }
            let new = bytes.dropFirst(Int(known))
            if let temporary {
                guard temporary.file.write(new, at: state.received) else { throw DriveDirectory.failure }
            } else {
                let fitting = new.prefix(Int(Self.memoryLimit - state.received))
                state.memory += fitting
                guard fitting.count == new.count else {
                    state.received = Self.memoryLimit
                    throw Self.tooLarge
                }
            }
            state.received += Int64(new.count)
            return true
        }
    }

    func close() { self.state.withLock { $0.isClosed = true } }

    static let tooLarge = APIFailure(
        .contentTooLarge,
        "uploadTooLarge",
        "Without a data directory, an upload can have at most 64 MiB."
    )
}

/// The body of a request to an upload session, which is processed as it arrives.
///
/// A body can be read only once, because the server traps on a second read.
final class UploadBody: Sendable {
    struct Broken: Error {}

    /// A function that processes a chunk and returns whether to continue reading.
    typealias Taker = (_ piece: [UInt8]) async throws -> Bool

    /// The length declared by the request.
    let length: Int64?
    private let pieces: @Sendable (_ take: Taker) async throws -> Void
    private let isRead = Mutex(false)

    init(length: Int64?, _ pieces: @escaping @Sendable (_ take: Taker) async throws -> Void) {
        self.length = length
        self.pieces = pieces
    }

    /// Creates a body from a request.
    convenience init(_ request: Request, _ context: ProviderRequestContext) {
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let isChunked = request.headers[.transferEncoding] != nil
        let (body, channel) = (request.body, context.channel)
        self.init(length: isChunked ? length : length ?? 0) { take in
            for try await buffer in body { guard try await take(Array(buffer.readableBytesView)) else { return } }
            // A closed connection looks like the end of the body unless a length was declared.
            guard !isChunked || channel?.isActive ?? true else { throw Broken() }
        }
    }

    /// Passes the chunks of the body to `take`.
    ///
    /// Only the first call reads anything.
    ///
    /// If `take` throws an API error, the rest of the body is read and discarded, because clients do not read the
    /// response until they have sent everything.
    ///
    /// - Throws: ``Broken`` if the connection closes too early, or the API error that `take` throws.
    func read(_ take: Taker) async throws {
        guard self.isRead.setOnce() else { return }
        var count: Int64 = 0
        var isWanted = true
        var refusal: APIFailure?
        do {
            try await self.pieces { piece in
                count += Int64(piece.count)
                if refusal != nil { return true }
                do {
                    isWanted = try await take(piece)
                } catch let error as APIFailure {
                    refusal = error
                }
                return isWanted
            }
        } catch {
            throw Broken()
        }
        if let refusal { throw refusal }
        if isWanted, let length, count < length { throw Broken() }
    }

    /// Reads and discards the rest of the body.
    func drain() async throws { try await self.read { _ in true } }
}
#endif
