// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The number of times that a test repeats a step.
public enum Repetitions {
    /// Returns the number in an environment variable, or the default.
    public static func count(_ variable: String, default count: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
    }
}
