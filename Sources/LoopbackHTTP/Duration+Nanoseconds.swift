// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Duration {
    /// The duration in nanoseconds, held within what 64 bits can say with room to add.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        if seconds > 4_000_000_000 { return 4_000_000_000_000_000_000 }
        if seconds < 0 { return 0 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
