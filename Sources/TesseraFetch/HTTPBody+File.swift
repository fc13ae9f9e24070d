// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension HTTPBody {
    /// Creates a replayable body that streams a regular file.
    ///
    /// The file must not change while it is being sent. If it does, its last bytes are not sent and reading throws
    /// ``FileError`` with the code `changed`.
    ///
    /// - Throws: ``FileError`` if the file cannot be opened or is not a regular file.
    public init(file path: String) async throws {
        let file = try await TransferFile.reading(path)
        let status = try await file.status()
        self.init(length: status.size, isReplayable: true, source: FileBody(file, status))
    }

    /// Creates a body from a sequence of chunks.
    ///
    /// The body can be read only once.
    ///
    /// Empty chunks are skipped.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil
    ) where Chunks.Element == [UInt8] {
        self.init(length: length, isReplayable: false) {
            var iterator = chunks.makeAsyncIterator()
            // Use `next()`, because `next(isolation:)` requires iOS 18 and macOS 15. Like `next()`, the closure is
            // concurrent.
            return { @concurrent in
                while let chunk = try await iterator.next() {
                    if !chunk.isEmpty { return chunk }
                }
                // A canceled `AsyncStream` ends without an error. Its body would look complete.
                try Task.checkCancellation()
                return nil
            }
        }
    }
}

/// A body that reads a file or a range within it.
final class FileBody: HTTPBodySource {
    /// The chunk size in bytes.
    ///
    /// It is large because each chunk wakes several threads.
    static let step: Int64 = 1 << 20

    /// The file's status when it was opened.
    let status: TransferFile.Status
    private let file: TransferFile

    init(_ file: TransferFile, _ status: TransferFile.Status) {
        self.file = file
        self.status = status
    }

    func start() -> HTTPBody.Next { self.bytes(0..<self.status.size) { _ in } }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        try await HTTPBody(length: self.status.size, isReplayable: true) { self.start() }.collect(upTo: limit)
    }

    /// Returns a function that reads a range of the file and passes the offset after each chunk to `progress`.
    func bytes(_ range: Range<Int64>, _ progress: @escaping @Sendable (Int64) -> Void) -> HTTPBody.Next {
        var position = range.lowerBound
        return {
            guard position < range.upperBound else { return nil }
            let count = min(Self.step, range.upperBound - position)
            let bytes = try await self.file.read(Int(count), at: position)
            guard Int64(bytes.count) == count else { throw FileError(.changed, path: self.file.path) }
            position += count
            // Check before sending the last bytes, so that the server never accepts a mixture of two versions.
            if position == range.upperBound, try await self.file.status() != self.status {
                throw FileError(.changed, path: self.file.path)
            }
            progress(position)
            return bytes
        }
    }
}
