// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// How far a download or an upload is: a sequence of steps that ends with the transfer.
///
/// The caller makes it, hands it to one transfer, and reads it beside that, once. Whoever reads more slowly than the
/// network moves sees the newest step and misses those before it; the transfer never waits for a reader.
///
/// ```swift
/// let progress = TransferProgress()
/// async let response = fetcher.download(request, to: path, progress: progress)
/// for await step in progress { print(step.completed, step.total ?? 0) }
/// ```
public final class TransferProgress: AsyncSequence, Sendable {
    /// A moment of a transfer.
    public struct Step: Sendable, Hashable {
        /// How many bytes have come, or have been handed to the network; what was there from an earlier try included.
        ///
        /// It goes back where a server has less than it was sent.
        public var completed: Int64
        /// How many there will be, nil while nobody knows.
        public var total: Int64?

        /// A moment.
        public init(completed: Int64, total: Int64?) {
            self.completed = completed
            self.total = total
        }
    }

    private let steps: AsyncStream<Step>
    private let continuation: AsyncStream<Step>.Continuation
    private let last = Mutex<Step?>(nil)

    /// A progress of nothing yet.
    public init() {
        (self.steps, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The newest step, nil before the first; also after the end.
    public var latest: Step? { self.last.withLock { $0 } }

    /// Walks over the steps.
    public func makeAsyncIterator() -> AsyncStream<Step>.Iterator { self.steps.makeAsyncIterator() }

    func report(_ completed: Int64, of total: Int64?) {
        let step = Step(completed: completed, total: total)
        self.last.withLock { $0 = step }
        self.continuation.yield(step)
    }

    /// Ends the sequence of steps, for a transfer that ends before its first one.
    public func finish() { self.continuation.finish() }
}
