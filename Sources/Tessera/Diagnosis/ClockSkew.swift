// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
/// The difference between this computer's clock and a server's, as far as one exchange can prove it.
public enum ClockSkew {
    /// Returns by how many seconds this computer's clock was ahead; negative if it was behind, 0 if no difference can be proved.
    ///
    /// A server's date is cut to a second, and was made at an unknown moment between sending and receiving.
    ///
    /// - Parameters:
    ///   - serverDate: The `Date` field of the response.
    ///   - sentAt: When the request was sent.
    ///   - receivedAt: When the response arrived.
    /// - Returns: Whole seconds.
    public static func seconds(serverDate: Date, sentAt: Date, receivedAt: Date) -> Int64 {
        let ahead = sentAt.timeIntervalSince(serverDate) - 1
        let behind = serverDate.timeIntervalSince(receivedAt)
        if ahead > 0 { return Int64(min(ahead.rounded(), 1e12)) }
        return behind > 0 ? -Int64(min(behind.rounded(), 1e12)) : 0
    }
}
