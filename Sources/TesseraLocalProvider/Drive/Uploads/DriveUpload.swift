// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
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
                guard state.received + Int64(new.count) <= Self.memoryLimit else { throw Self.tooLarge }
                state.memory += new
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

/// The upload sessions; bounded, the oldest give way.
final class DriveUploads: Sendable {
    private static let limit = 1000

    private struct State {
        var uploads: [String: DriveUpload] = [:]
        var order: [String] = []
    }

    private let state = Mutex(State())
    private let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    init(randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.randomBytes = randomBytes }

    func upload(_ id: String) -> DriveUpload? { self.state.withLock { $0.uploads[id] } }

    /// Keeps a session under a random identifier; returns that, and the session that had to go for it.
    func add(_ upload: DriveUpload) -> (id: String, lost: DriveUpload?) {
        let id = Base64URL.encode(self.randomBytes(32))
        let lost = self.state.withLock { state -> DriveUpload? in
            state.uploads[id] = upload
            state.order.append(id)
            guard state.order.count > Self.limit else { return nil }
            return state.uploads.removeValue(forKey: state.order.removeFirst())
        }
        return (id, lost)
    }

    @discardableResult
    func remove(_ id: String) -> DriveUpload? {
        self.state.withLock { state in
            state.order.removeAll { $0 == id }
            return state.uploads.removeValue(forKey: id)
        }
    }
}
#endif
