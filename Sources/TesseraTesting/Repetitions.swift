// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// How often a randomized test repeats itself: rarely each time, and as often as whoever runs it wants.
package enum Repetitions {
    /// The number in an environment variable, or else the usual one.
    package static func count(_ variable: String, usually usual: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
    }
}
