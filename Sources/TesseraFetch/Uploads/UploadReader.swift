// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Reads pieces of an upload's source at the offsets that the server requires.
///
/// A reader is used by a single task.
struct UploadReader {
    /// The source's fingerprint, so that an upload is resumed only with the same source.
    let fingerprint: UploadState.Fingerprint
    /// The length of the source, or nil if it is not known yet.
    private(set) var length: Int64?
    private var source: Source

    private enum Source {
        case bytes([UInt8])
        case file(FileBody)
        case sequence(RecentBytes)
    }

    init(_ body: HTTPBody) {
        self.length = body.length
        if let bytes = body.bytes {
            self.source = .bytes(bytes)
            self.fingerprint = UploadState.Fingerprint(length: body.length, digest: Hexadecimal.sha256(of: bytes))
        } else if let file = body.source as? FileBody {
            self.source = .file(file)
            self.fingerprint = UploadState.Fingerprint(length: body.length, modified: file.status.modified)
        } else {
            self.source = .sequence(RecentBytes(body))
            self.fingerprint = UploadState.Fingerprint(length: body.length)
        }
    }

    /// Whether the source is a sequence.
    ///
    /// Pieces of a sequence are held in memory.
    var isSequence: Bool { if case .sequence = self.source { true } else { false } }

    /// Reads a piece of `count` bytes, or fewer if it is the last one.
    ///
    /// - Parameters:
    ///   - offset: The piece's offset in the source.
    ///   - count: The piece's size in bytes.
    ///   - progress: Called with the offset up to which the transport has read the source.
    /// - Returns: The piece and its body. Reading the body throws ``FileError`` `changed` if the file changes.
    /// - Throws: ``UploadError`` with the code `invalidResponse`, `cannotRewind` or `length`.
    mutating func piece(
        at offset: Int64,
        count: Int64,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> (piece: UploadPiece, body: HTTPBody) {
        if case .sequence(var recent) = self.source {
            defer { self.source = .sequence(recent) }
            let bytes = try await recent.bytes(at: offset, count: Int(clamping: count))
            if recent.hasEnded {
                guard self.length ?? recent.end == recent.end else { throw UploadError(.length) }
                self.length = recent.end
            }
            let count = Int64(bytes.count)
            let isLast = recent.hasEnded && offset + count == recent.end
            let piece = UploadPiece(offset: offset, count: count, total: self.length, isLast: isLast)
            return (piece, Self.body(bytes[...], of: piece, progress))
        }
        let total = self.length ?? 0
        guard 0...total ~= offset else { throw UploadError(.invalidResponse) }
        let count = min(count, total - offset)
        let piece = UploadPiece(offset: offset, count: count, total: total, isLast: offset + count == total)
        switch self.source {
        case .bytes(let bytes): return (piece, Self.body(bytes[Int(offset)..<Int(piece.end)], of: piece, progress))
        case .file(let file):
            let body = HTTPBody(length: count, isReplayable: true) { file.bytes(offset..<piece.end, progress) }
            return (piece, body)
        case .sequence: preconditionFailure("A sequence has no length.")
        }
    }

    private static func body(
        _ bytes: ArraySlice<UInt8>,
        of piece: UploadPiece,
        _ progress: @escaping @Sendable (Int64) -> Void
    ) -> HTTPBody {
        guard piece.count > FileBody.step else { return HTTPBody(Array(bytes)) }
        return HTTPBody(length: piece.count, isReplayable: true) {
            var rest = bytes
            return {
                guard !rest.isEmpty else { return nil }
                let chunk = Array(rest.prefix(Int(FileBody.step)))
                rest = rest.dropFirst(chunk.count)
                progress(piece.end - Int64(rest.count))
                return chunk
            }
        }
    }
}

/// A body that holds its most recent bytes in memory so that they can be sent again.
private struct RecentBytes {
    private let body: HTTPBody
    private var iterator: HTTPBody.AsyncIterator
    /// The offset of the first byte in ``kept``.
    private var start: Int64 = 0
    private var kept: [UInt8] = []
    /// Whether ``end`` is the end of the body.
    private(set) var hasEnded = false

    init(_ body: HTTPBody) {
        self.body = body
        self.iterator = body.makeAsyncIterator()
    }

    /// The offset up to which the body has been read.
    var end: Int64 { self.start + Int64(self.kept.count) }

    /// Returns up to `count` bytes at `offset` and discards earlier bytes.
    ///
    /// After the call, ``hasEnded`` indicates whether the end of the body has been reached.
    ///
    /// - Throws: ``UploadError`` `cannotRewind` if the bytes were discarded and the body is not replayable, `length` if
    ///   the offset is past the end, or any error that the body throws.
    mutating func bytes(at offset: Int64, count: Int) async throws -> [UInt8] {
        if offset < self.start {
            guard self.body.isReplayable else { throw UploadError(.cannotRewind) }
            self = RecentBytes(self.body)
        }
        while self.end < offset {
            self.start = self.end
            self.kept = []
            guard try await self.readOn() else { throw UploadError(.length) }
        }
        self.kept.removeFirst(Int(offset - self.start))
        self.start = offset
        // Read one more byte to determine whether these bytes are the last ones.
        while self.kept.count <= count, try await self.readOn() {}
        return Array(self.kept.prefix(count))
    }

    private mutating func readOn() async throws -> Bool {
        guard !self.hasEnded else { return false }
        guard let chunk = try await self.iterator.next() else {
            self.hasEnded = true
            return false
        }
        self.kept += chunk
        return true
    }
}
