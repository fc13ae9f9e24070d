// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraTesting

/// Resumes tasks one at a time, in the order that a seed determines.
///
/// A task that calls ``turn()`` waits until it is selected.
final class SeededOrder: Sendable {
    private let bytes: SeededRandomBytes
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let isOver = Mutex(false)

    init(seed: UInt64) { self.bytes = SeededRandomBytes(seed: seed) }

    /// Waits until this task is selected, or returns immediately if no work is running.
    func turn() async {
        await withCheckedContinuation { continuation in
            let waits = self.waiting.withLock { waiting -> Bool in
                guard !self.isOver.withLock({ $0 }) else { return false }
                waiting.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    /// Selects tasks until `work` has ended.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        self.isOver.withLock { $0 = false }
        let worker = Task {
            let result: Result<Void, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            self.isOver.withLock { $0 = true }
            return result
        }
        while !self.isOver.withLock({ $0 }) {
            for _ in 0..<3 { await Task.yield() }
            self.resumeNext()
        }
        // The remaining tasks do not belong to the work, such as a refresh in the background.
        while self.resumeNext() {}
        try await worker.value.get()
    }

    @discardableResult
    private func resumeNext() -> Bool {
        let selected = self.waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard !waiting.isEmpty else { return nil }
            let number = self.bytes.next(2).reduce(0) { $0 << 8 | Int($1) }
            return waiting.remove(at: number % waiting.count)
        }
        selected?.resume()
        return selected != nil
    }
}
