// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// What a program says on one of its outputs, read by a thread of its own as it comes; for one reader.
public final class ChildOutput: Sendable {
    private let chunks: AsyncStream<[UInt8]>
    /// What has come and was not asked for yet.
    private let pending = Mutex<[UInt8]>([])

    /// Reads to the end, and closes it.
    init(_ descriptor: Int32) {
        let (chunks, end) = AsyncStream<[UInt8]>.makeStream()
        self.chunks = chunks
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { break }
                end.yield(Array(buffer[..<count]))
            }
            close(descriptor)
            end.finish()
        }
    }

    /// The next line that `isWanted`, without its break; nil where it ended before.
    ///
    /// Lines before it are forgotten.
    public func line(where isWanted: (String) -> Bool = { _ in true }) async -> String? {
        while true {
            let found = self.pending.withLock { pending -> String? in
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: pending[..<end], as: UTF8.self)
                    pending.removeSubrange(...end)
                    if isWanted(line) { return line }
                }
                return nil
            }
            if let found { return found }
            var chunks = self.chunks.makeAsyncIterator()
            guard let chunk = await chunks.next() else { return nil }
            self.pending.withLock { $0 += chunk }
        }
    }

    /// Everything that was not asked for yet, up to the end.
    public func rest() async -> [UInt8] {
        for await chunk in self.chunks { self.pending.withLock { $0 += chunk } }
        return self.pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    /// The lines of it, without empty ones.
    public func lines() async -> [String] {
        String(decoding: await self.rest(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
