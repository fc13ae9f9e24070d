// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

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

    /// A body that is there already.
    convenience init(_ bytes: [UInt8]) {
        self.init(length: Int64(bytes.count)) { take in _ = try await take(bytes) }
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

/// Takes the body of one request into an upload session.
struct UploadIntake: Sendable {
    var upload: DriveUpload
    var queue: BlockingQueue
    var fault: LocalProviderOptions.DriveFault

    /// Takes what the fault lets through; returns whether the upload is complete by that.
    func take(_ body: UploadBody, from first: Int64, count: Int64?, total: Int64?, isLast: Bool) async throws -> Bool {
        let granularity = UploadDialect.granularity
        guard self.upload.agrees(withTotal: total) else { throw Self.otherTotal }
        guard isLast || (count ?? 0) % granularity == 0 else {
            throw APIFailure.badRequest("A chunk that is not the last has a multiple of 256 KiB.")
        }
        guard first <= self.upload.received else {
            throw APIFailure.badRequest("There is a gap: \(self.upload.received) bytes were received.")
        }
        let limit: Int64 =
            switch self.fault {
            case .partial(let limit): max(0, limit / granularity * granularity)
            case .broken(let limit): max(0, limit)
            default: .max
            }
        let turn = self.upload.beginTaking(total: total)
        var taken: Int64 = 0
        var isShort = false
        try await body.read { bytes in
            let piece = bytes.prefix(Int(clamping: min(limit, count ?? .max) - taken))
            let position = first + taken
            taken += Int64(piece.count)
            if !piece.isEmpty {
                let (upload, queue) = (self.upload, self.queue)
                let isTaken = try await queue.run { () throws(APIFailure) in
                    try upload.append(piece, at: position, turn: turn)
                }
                guard isTaken else { throw UploadBody.Broken() }
            }
            isShort = isShort || piece.count < bytes.count
            if isShort, case .broken = self.fault { throw UploadBody.Broken() }
            return true
        }
        guard isLast, !isShort, taken == count ?? taken else { return false }
        guard first + taken == self.upload.received, self.upload.isComplete else { throw Self.incomplete }
        return self.fault != .wrongRange
    }

    static let otherTotal = APIFailure.badRequest("The total is not the one that was named before.")
    static let incomplete = APIFailure.badRequest("The upload's length is not what was declared.")
}
#endif
