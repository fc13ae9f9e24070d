// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension HTTPBody {
    /// Creates a body of a regular file, which is read while it is sent; replayable.
    ///
    /// The file must not change meanwhile: the end is not sent then, and reading throws ``FileError`` `changed`.
    ///
    /// - Throws: ``FileError`` for a file that cannot be opened or is not a regular one.
    public init(file path: String) async throws {
        let file = try await TransferFile.reading(path)
        let status = try await file.status()
        self.init(length: status.size, isReplayable: true, source: FileBody(file, status))
    }

    /// Creates a body of chunks as they arrive, which can be read once; empty chunks are skipped.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil
    ) where Chunks.Element == [UInt8] {
        self.init(length: length, isReplayable: false) {
            var iterator = chunks.makeAsyncIterator()
            // Concurrent as `next()` is: `next(isolation:)` requires iOS 18 and macOS 15.
            return { @concurrent in
                while let chunk = try await iterator.next() {
                    if !chunk.isEmpty { return chunk }
                }
                return nil
            }
        }
    }
}

/// The bytes of a file, from any offset.
final class FileBody: HTTPBodySource {
    /// How many bytes are given to the transport at a time: each chunk wakes several threads.
    static let step: Int64 = 512 << 10

    /// The file's size and date when it was opened.
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

    /// Returns the function that reads a part of the file, which tells `progress` the offset that it has reached.
    func bytes(_ range: Range<Int64>, _ progress: @escaping @Sendable (Int64) -> Void) -> HTTPBody.Next {
        var position = range.lowerBound
        return {
            guard position < range.upperBound else { return nil }
            let count = min(Self.step, range.upperBound - position)
            let bytes = try await self.file.read(Int(count), at: position)
            guard Int64(bytes.count) == count else { throw FileError(.changed, path: self.file.path) }
            position += count
            // Checked before the end is sent: a server must never have a mixture as a whole.
            if position == range.upperBound, try await self.file.status() != self.status {
                throw FileError(.changed, path: self.file.path)
            }
            progress(position)
            return bytes
        }
    }
}
