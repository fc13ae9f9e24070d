// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

extension String {
    /// Returns whether two strings have the same code points.
    ///
    /// The `==` operator treats canonically equivalent strings, such as the Kelvin sign and `K`, as equal, but
    /// identifiers must not be normalized.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 14](https://openid.net/specs/openid-connect-core-1_0.html#StringOps)
    package func isExactly(_ other: String) -> Bool {
        let isSame = self.utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.span.isExactly($0.span) }
        }
        return (isSame ?? nil) ?? self.utf8.elementsEqual(other.utf8)
    }

    /// Returns whether the string is equal to an ASCII string, using a byte comparison that is fast enough for every
    /// call.
    ///
    /// A string that is only canonically equivalent to an ASCII string has more bytes, so it is not equal.
    @inlinable
    package func equals(ascii: String) -> Bool { self == ascii && self.utf8.count == ascii.utf8.count }
}

/// A constant-time comparison for strings of equal length.
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
