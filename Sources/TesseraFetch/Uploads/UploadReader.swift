// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Reads the pieces of an upload from wherever the server wants them; for one task.
struct UploadReader {
    /// Identifies the source when an upload continues.
    let fingerprint: UploadState.Fingerprint
    /// The length of the whole, nil while it is unknown.
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

    /// Whether a piece is held in memory.
    var isSequence: Bool { if case .sequence = self.source { true } else { false } }

    /// Reads the piece at `offset`, of `count` bytes unless it is the last.
    ///
    /// - Parameters:
    ///   - offset: Where the piece begins.
    ///   - count: Its length.
    ///   - progress: Gets how far the transport has read the source.
    /// - Returns: The piece and its body, which throws ``FileError`` `changed`.
    /// - Throws: ``UploadError`` `nonsense`, `cannotRewind` and `length`.
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
        guard 0...total ~= offset else { throw UploadError(.nonsense) }
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

/// A body with the newest bytes of it in memory, so that a server can request them again.
private struct RecentBytes {
    private let body: HTTPBody
    private var iterator: HTTPBody.AsyncIterator
    /// Where ``kept`` begins.
    private var start: Int64 = 0
    private var kept: [UInt8] = []
    /// Whether ``end`` is the end of the whole.
    private(set) var hasEnded = false

    init(_ body: HTTPBody) {
        self.body = body
        self.iterator = body.makeAsyncIterator()
    }

    /// How far the body has been read.
    var end: Int64 { self.start + Int64(self.kept.count) }

    /// Returns up to `count` bytes at `offset`, and forgets those before.
    ///
    /// Afterwards ``hasEnded`` tells whether any bytes follow them.
    ///
    /// - Throws: ``UploadError`` `cannotRewind` for bytes that were forgotten and cannot be read again, `length` for an
    ///   offset behind the end; the errors of the body.
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
        // One more byte tells whether these are the last.
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
