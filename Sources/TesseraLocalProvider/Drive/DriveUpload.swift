// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraSupport

/// An upload session: what it is for, and the bytes that have arrived.
///
/// With a data directory the bytes are in a hidden file of it, without one in memory. Appending and ending block.
final class DriveUpload: Sendable {
    /// What a session without a data directory holds at most.
    static let memoryLimit: Int64 = 64 << 20

    private struct State {
        var received: Int64 = 0
        var total: Int64?
        var memory: [UInt8] = []
        var turn = 0
        var isClosed = false
        var answer: EndpointResponse?
    }

    /// The call that began it.
    let call: APICall
    let metadata: FileMetadata
    /// The hidden file of the data directory.
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

    /// The answer of the finished upload.
    var answer: EndpointResponse? {
        get { self.state.withLock { $0.answer } }
        set {
            self.state.withLock {
                $0.answer = newValue
                $0.memory = []
            }
        }
    }

    /// Whether a total fits what is known of the upload.
    func agrees(withTotal total: Int64?) -> Bool {
        self.state.withLock { $0.total == nil || total == nil || $0.total == total }
    }

    /// Whether the upload ends with what is there.
    var isComplete: Bool { self.state.withLock { $0.total == nil || $0.total == $0.received } }

    /// Begins to take a body; whoever took one before takes nothing more from now on.
    func beginTaking(total: Int64?) -> Int {
        self.state.withLock { state in
            state.total = state.total ?? total
            state.turn += 1
            return state.turn
        }
    }

    /// Adds bytes that belong at `position`; what is there already is skipped.
    ///
    /// - Returns: False when another request took over, or the session is gone.
    func append(_ bytes: ArraySlice<UInt8>, at position: Int64, turn: Int) throws(APIFailure) -> Bool {
        try self.state.withLock { state throws(APIFailure) in
            guard state.turn == turn, !state.isClosed, state.answer == nil else { return false }
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
        "Without a data directory this Drive takes 64 MiB at most."
    )
}

/// The body of a request to an upload session: taken as it arrives, never held as a whole.
///
/// A connection delivers its bytes once, and the server traps when they are read a second time.
final class UploadBody: Sendable {
    struct Broken: Error {}

    /// Takes a piece; false ends the reading.
    typealias Taker = (_ piece: [UInt8]) async throws -> Bool

    /// The length that the request names.
    let length: Int64?
    private let pieces: @Sendable (_ take: Taker) async throws -> Void
    private let isRead = Mutex(false)

    init(length: Int64?, _ pieces: @escaping @Sendable (_ take: Taker) async throws -> Void) {
        self.length = length
        self.pieces = pieces
    }

    /// The body as it arrives.
    convenience init(_ request: Request, _ context: ProviderRequestContext) {
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let isChunked = request.headers[.transferEncoding] != nil
        let (body, channel) = (request.body, context.channel)
        self.init(length: isChunked ? length : length ?? 0) { take in
            for try await buffer in body { guard try await take(Array(buffer.readableBytesView)) else { return } }
            // A connection that ends looks like the body's end; only a named length would tell.
            guard !isChunked || channel?.isActive ?? true else { throw Broken() }
        }
    }

    /// Hands over piece after piece, in the first call only; a later call finds nothing.
    ///
    /// After a refusal the rest is read and forgotten, because clients read a response when they have sent everything.
    ///
    /// - Throws: ``Broken`` when the connection ends too early, and the refusal that `take` throws.
    func read(_ take: Taker) async throws {
        let wasRead = self.isRead.withLock { isRead in
            defer { isRead = true }
            return isRead
        }
        if wasRead { return }
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

    /// Reads what no call has read yet, and forgets it.
    func drain() async throws { try await self.read { _ in true } }
}
#endif
