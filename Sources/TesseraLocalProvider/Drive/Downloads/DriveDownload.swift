// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A part of an open file, read while it is sent.
struct DriveDownload: Sendable {
    var file: DriveFileDescriptor
    var offset: Int64
    var length: Int
    var queue: BlockingQueue

    /// The file became shorter while it was sent.
    struct Truncated: Error {}

    /// The next chunk, of at most 256 KiB; nil at the end.
    mutating func nextChunk() async throws -> [UInt8]? {
        guard self.length > 0 else { return nil }
        let (file, offset, count) = (self.file, self.offset, min(self.length, 256 << 10))
        let chunk = await self.queue.run { file.read(count, at: offset) }
        guard !chunk.isEmpty else { throw Truncated() }
        self.offset += Int64(chunk.count)
        self.length -= chunk.count
        return chunk
    }
}
#endif
