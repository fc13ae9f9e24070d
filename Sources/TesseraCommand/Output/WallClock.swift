// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The one place where the command itself reads the time; the library has its own, in its runtime.
enum WallClock {
    static var now: Date { Date() }
}
#endif
