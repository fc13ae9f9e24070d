// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// An output of a program, which a thread reads as it arrives.
///
/// Only one reader at a time is supported.
public final class ChildOutput: Sendable {
    private let chunks: AsyncStream<[UInt8]>
    /// The bytes that have arrived and were not returned yet.
    private let pending = Mutex<[UInt8]>([])

    /// Reads from the descriptor until the end, and then closes it.
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

    /// Returns the next line that satisfies a condition, without its line break, or nil if there is none.
    ///
    /// Earlier lines are discarded.
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

    /// Waits for the end and returns all bytes that were not returned yet.
    public func rest() async -> [UInt8] {
        for await chunk in self.chunks { self.pending.withLock { $0 += chunk } }
        return self.pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    /// Waits for the end and returns the remaining lines that are not empty.
    public func lines() async -> [String] {
        String(decoding: await self.rest(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
