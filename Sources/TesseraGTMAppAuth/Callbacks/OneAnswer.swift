// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// One answer from whoever is asked, or the one that counts where everybody who could give it has let go of this.
///
/// Only the closures that somebody gets hold it.
final class OneAnswer<Value: Sendable>: Sendable {
    private let otherwise: Value
    private let taker: Mutex<(@Sendable (Value) -> Void)?>

    /// `take` gets the answer, once.
    init(otherwise: Value, _ take: @escaping @Sendable (Value) -> Void) {
        self.otherwise = otherwise
        self.taker = Mutex(take)
    }

    deinit { self(self.otherwise) }

    /// Answers; any later answer counts for nothing.
    func callAsFunction(_ value: Value) { self.taker.withLock { $0.take() }?(value) }
}
