// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

extension String {
    /// Whether two texts have the same code points.
    ///
    /// `==` takes canonically equivalent texts for equal (the Kelvin sign for `K`); identifiers must not be normalized.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 14](https://openid.net/specs/openid-connect-core-1_0.html#StringOps)
    package func isExactly(_ other: String) -> Bool {
        let isSame = self.utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.span.isExactly($0.span) }
        }
        return (isSame ?? nil) ?? self.utf8.elementsEqual(other.utf8)
    }

    /// Whether the text is `ascii`, which is nothing but ASCII, byte for byte: quicker, for what every call asks.
    ///
    /// What is only canonically equivalent to ASCII text is longer.
    @inlinable
    package func equals(ascii: String) -> Bool { self == ascii && self.utf8.count == ascii.utf8.count }
}

/// Comparison that takes as long for a near miss as for a far one.
enum ConstantTime {
    static func equal(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.count == right.count && left.indices.reduce(0) { $0 | (left[$1] ^ right[$1]) } == 0
            }
        }
    }
}
