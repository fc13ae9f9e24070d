// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The one place where the command itself reads the time; the library has its own, in its runtime.
package enum WallClock {
    package static var now: Date { Date() }
}
