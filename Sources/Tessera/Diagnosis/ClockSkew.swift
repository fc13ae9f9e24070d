// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
/// How the clock here differs from a server's, as far as one exchange can prove it.
package enum ClockSkew {
    /// By how many seconds the clock here was ahead; negative: behind; 0 where no difference can be seen.
    ///
    /// A server's date is cut to a second, and was made at an unknown moment between sending and receiving.
    package static func seconds(serverDate: Date, sentAt: Date, receivedAt: Date) -> Int64 {
        let ahead = sentAt.timeIntervalSince(serverDate) - 1
        let behind = serverDate.timeIntervalSince(receivedAt)
        if ahead > 0 { return Int64(min(ahead.rounded(), 1e12)) }
        return behind > 0 ? -Int64(min(behind.rounded(), 1e12)) : 0
    }
}
