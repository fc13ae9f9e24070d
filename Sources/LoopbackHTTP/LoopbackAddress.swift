// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Which loopback address a server listens on; never another one.
package enum LoopbackAddress: Sendable, Hashable {
    /// `127.0.0.1`.
    case ipv4
    /// `::1`.
    case ipv6
    /// `127.0.0.1`, and `::1` on a machine that has no IPv4.
    case either

    /// The addresses to try, in order.
    var candidates: [LoopbackAddress] {
        switch self {
        case .ipv4, .ipv6: [self]
        case .either: [.ipv4, .ipv6]
        }
    }

    /// The address as it stands in a URL.
    var host: String { self == .ipv6 ? "[::1]" : "127.0.0.1" }
}
