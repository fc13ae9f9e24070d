// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The body of a request to an upload session: taken as it arrives, never held as a whole.
struct UploadBody: Sendable {
    /// The connection ended before the body did.
    struct Broken: Error {}

    /// Takes a piece; false ends the reading.
    typealias Taker = (_ piece: [UInt8]) async throws -> Bool

    /// The length that the request names.
    let length: Int64?
    private let pieces: @Sendable (_ take: Taker) async throws -> Void

    init(length: Int64?, _ pieces: @escaping @Sendable (_ take: Taker) async throws -> Void) {
        self.length = length
        self.pieces = pieces
    }

    /// A body that is there already.
    init(_ bytes: [UInt8]) {
        self.init(length: Int64(bytes.count)) { take in _ = try await take(bytes) }
    }

    /// Hands over piece after piece; throws ``Broken`` when the connection ends too early.
    func read(_ take: Taker) async throws {
        var count: Int64 = 0
        var isWanted = true
        do {
            try await self.pieces { piece in
                count += Int64(piece.count)
                isWanted = try await take(piece)
                return isWanted
            }
        } catch let error as APIFailure {
            throw error
        } catch {
            throw Broken()
        }
        if isWanted, let length, count < length { throw Broken() }
    }

    /// Reads the rest and forgets it.
    func drain() async throws { try await self.read { _ in true } }
}
#endif
