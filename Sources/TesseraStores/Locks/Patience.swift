// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How long to go on trying for a lock that somebody else has, and how long to pause in between.
package struct Patience: Sendable {
    private let isLeft: @Sendable () -> Bool

    package init(_ clock: some Clock<Duration>, for limit: Duration) {
        let end = clock.now.advanced(by: limit)
        self.isLeft = { clock.now < end }
    }

    package var remains: Bool { self.isLeft() }

    /// Pauses that double from a millisecond to 64, for ever.
    package static var pauses: some Sequence<Duration> {
        sequence(first: .milliseconds(1)) { min($0 * 2, .milliseconds(64)) }
    }
}
