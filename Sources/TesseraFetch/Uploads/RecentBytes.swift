// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// A sequence of chunks with the newest bytes of it still in memory, so that a server can ask for them again.
struct RecentBytes {
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

    /// How far it has been read.
    var end: Int64 { self.start + Int64(self.kept.count) }

    /// Up to `count` bytes from `offset` on, fewer at the end of the whole; what lies before is forgotten.
    ///
    /// When it returns, ``hasEnded`` says whether anything comes after them.
    ///
    /// - Throws: ``UploadFailure`` `cannotRewind` for what was forgotten and cannot be read again, `length` for an offset
    ///   behind the end; what the sequence throws.
    mutating func bytes(at offset: Int64, count: Int) async throws -> [UInt8] {
        if offset < self.start {
            guard self.body.isReplayable else { throw UploadFailure(.cannotRewind) }
            self = RecentBytes(self.body)
        }
        while self.end < offset {
            self.start = self.end
            self.kept = []
            guard try await self.readOn() else { throw UploadFailure(.length) }
        }
        self.kept.removeFirst(Int(offset - self.start))
        self.start = offset
        // One more than that, to know whether these are the last.
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
