// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

extension SharedResult {
    /// Returns the value that `body` supplies, at once or later.
    ///
    /// The result is `otherwise` if the task is canceled, even before, or the closure is released without a value.
    /// Later values are ignored.
    static func value(
        otherwise: Value,
        _ body: (_ supply: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        let current = Mutex(WeakReference<SharedResult>())
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = SharedResult(otherwise: otherwise) { continuation.resume(returning: $0) }
                current.withLock { $0.object = result }
                body { result($0) }
                // The handler below did not find the result if the task had already been canceled.
                if Task.isCancelled { result(otherwise) }
            }
        } onCancel: {
            current.withLock { $0.object }?(otherwise)
        }
    }
}

private struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}
