// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The time in which an entry may be used: from the start of an update to its end.
package final class Tenure: Sendable {
    private let isOver = Mutex(false)

    package init() {}

    package func end() { self.isOver.withLock { $0 = true } }

    /// - Throws: when an entry was kept and is used after its update.
    package func check() throws(StoreError) {
        if self.isOver.withLock({ $0 }) {
            throw StoreError(
                .system,
                place: "SessionStoreEntry",
                detail: "an entry was used after its update had ended"
            )
        }
    }
}
