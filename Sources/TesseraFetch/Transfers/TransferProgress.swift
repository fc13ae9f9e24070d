// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The progress of a download or an upload, as a sequence of steps that ends when the transfer ends.
///
/// Create an instance, pass it to one transfer, and iterate over it once, concurrently with the transfer. A slow reader
/// receives the newest step and misses earlier ones. The transfer never waits for the reader.
///
/// ```swift
/// let progress = TransferProgress()
/// async let response = fetcher.download(request, to: path, progress: progress)
/// for await step in progress { print(step.completed, step.total ?? 0) }
/// ```
public final class TransferProgress: AsyncSequence, Sendable {
    /// The progress at one point in time.
    public struct Step: Sendable, Hashable {
        /// The number of bytes received or passed to the network, including those from an earlier attempt.
        ///
        /// The number decreases if the server turns out to have fewer bytes than were sent.
        public var completed: Int64
        /// The total number of bytes, or nil if it is not known yet.
        public var total: Int64?

        /// Creates a step.
        public init(completed: Int64, total: Int64?) {
            self.completed = completed
            self.total = total
        }
    }

    private let steps: AsyncStream<Step>
    private let continuation: AsyncStream<Step>.Continuation
    private let last = Mutex<Step?>(nil)

    /// Creates a progress sequence for a transfer that has not started.
    public init() {
        (self.steps, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The newest step, or nil before the first one.
    ///
    /// It remains available after the transfer.
    public var latest: Step? { self.last.withLock { $0 } }

    /// Returns an iterator over the steps.
    public func makeAsyncIterator() -> AsyncStream<Step>.Iterator { self.steps.makeAsyncIterator() }

    func report(_ completed: Int64, of total: Int64?) {
        let step = Step(completed: completed, total: total)
        let isNew = self.last.withLock { last in
            defer { last = step }
            return last != step
        }
        if isNew { self.continuation.yield(step) }
    }

    /// Ends the sequence of a transfer that ends before its first step.
    public func finish() { self.continuation.finish() }
}
