// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Gives the pieces of an upload's source, from wherever the server wants them; for one task.
struct UploadReader {
    /// By which a file is known again.
    let fingerprint: UploadState.Fingerprint
    /// How long the whole is, nil while nobody knows.
    private(set) var length: Int64?
    private var source: Source
    /// How many bytes are handed to the network at a time: each handing over wakes several threads.
    private static let step: Int64 = 512 << 10

    private enum Source {
        case bytes([UInt8])
        case file(TransferFile)
        case sequence(RecentBytes)
    }

    init(_ source: UploadSource) async throws {
        switch source.storage {
        case .bytes(let bytes):
            (self.source, self.length) = (.bytes(bytes), Int64(bytes.count))
            self.fingerprint = UploadState.Fingerprint(
                length: Int64(bytes.count),
                digest: Hexadecimal.sha256(of: bytes)
            )
        case .file(let path):
            let file = try await TransferFile.reading(path)
            let status = try await file.status()
            (self.source, self.length) = (.file(file), status.size)
            self.fingerprint = UploadState.Fingerprint(length: status.size, modified: status.modified)
        case .body(let body):
            (self.source, self.length) = (.sequence(RecentBytes(body)), body.length)
            self.fingerprint = UploadState.Fingerprint(length: body.length)
        }
    }

    /// Whether a piece is held in memory.
    var isSequence: Bool { if case .sequence = self.source { true } else { false } }

    /// The piece from `offset` on, of `count` bytes unless it is the last, and its body, which tells `progress` how far
    /// the network has taken it.
    ///
    /// - Throws: ``FileFailure`` `changed` from the body; ``UploadFailure`` `cannotRewind` and `length` at once.
    mutating func piece(
        at offset: Int64,
        count: Int64,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> (UploadPiece, HTTPBody) {
        switch self.source {
        case .bytes(let bytes):
            let piece = try Self.piece(at: offset, count, of: Int64(bytes.count))
            return (piece, Self.body(bytes[Int(piece.offset)..<Int(piece.end)], from: offset, progress))
        case .file(let file):
            let status = self.fingerprint
            let piece = try Self.piece(at: offset, count, of: status.length ?? 0)
            return (piece, Self.body(of: file, piece, status, progress))
        case .sequence(var recent):
            defer { self.source = .sequence(recent) }
            let bytes = try await recent.bytes(at: offset, count: Int(clamping: count))
            if recent.hasEnded {
                let end = recent.end
                guard self.length == nil || self.length == end else { throw UploadFailure(.length) }
                self.length = end
            }
            let end = offset + Int64(bytes.count)
            let piece = UploadPiece(
                offset: offset,
                count: Int64(bytes.count),
                total: self.length,
                isLast: recent.hasEnded && end == recent.end
            )
            return (piece, Self.body(bytes[...], from: offset, progress))
        }
    }

    private static func piece(at offset: Int64, _ count: Int64, of total: Int64) throws -> UploadPiece {
        guard 0...total ~= offset else { throw UploadFailure(.nonsense) }
        let count = min(count, total - offset)
        return UploadPiece(offset: offset, count: count, total: total, isLast: offset + count == total)
    }

    private static func body(
        _ bytes: ArraySlice<UInt8>,
        from offset: Int64,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) -> HTTPBody {
        guard Int64(bytes.count) > Self.step else { return HTTPBody(Array(bytes)) }
        return HTTPBody(length: Int64(bytes.count), isReplayable: true) {
            var (rest, position) = (bytes, offset)
            return {
                guard !rest.isEmpty else { return nil }
                let chunk = Array(rest.prefix(Int(Self.step)))
                rest = rest.dropFirst(chunk.count)
                position += Int64(chunk.count)
                progress(position)
                return chunk
            }
        }
    }

    private static func body(
        of file: TransferFile,
        _ piece: UploadPiece,
        _ fingerprint: UploadState.Fingerprint,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) -> HTTPBody {
        HTTPBody(length: piece.count, isReplayable: true) {
            var position = piece.offset
            return {
                guard position < piece.end else { return nil }
                let count = min(Self.step, piece.end - position)
                let bytes = try await file.read(Int(count), at: position)
                guard Int64(bytes.count) == count else { throw FileFailure(.changed, path: file.path) }
                position += count
                if position == piece.end {
                    // Before the end goes out: a server must never have a whole that is a mixture.
                    let status = try await file.status()
                    guard status.size == fingerprint.length, status.modified == fingerprint.modified else {
                        throw FileFailure(.changed, path: file.path)
                    }
                }
                progress(position)
                return bytes
            }
        }
    }
}
