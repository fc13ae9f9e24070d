// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraTesting

/// Lets tasks go on one at a time, in an order that a seed draws: who comes to ``turn()`` waits there until it is drawn.
final class SeededOrder: Sendable {
    private let bytes: SeededRandomBytes
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let isOver = Mutex(false)

    init(seed: UInt64) { self.bytes = SeededRandomBytes(seed: seed) }

    /// Waits until it is drawn; not at all while nothing is drawn.
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

    /// Draws until `work` has ended.
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
            self.draw()
        }
        // What still waits is nobody's work any more: a refresh in the background, perhaps.
        while self.draw() {}
        try await worker.value.get()
    }

    @discardableResult
    private func draw() -> Bool {
        let drawn = self.waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard !waiting.isEmpty else { return nil }
            let number = self.bytes.next(2).reduce(0) { $0 << 8 | Int($1) }
            return waiting.remove(at: number % waiting.count)
        }
        drawn?.resume()
        return drawn != nil
    }
}
