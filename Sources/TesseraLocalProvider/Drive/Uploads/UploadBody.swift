// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// The body of a request to an upload session: taken as it arrives, never held as a whole.
///
/// A connection delivers its bytes once, and the server traps when they are read a second time.
final class UploadBody: Sendable {
    /// The connection ended before the body did.
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
#endif
