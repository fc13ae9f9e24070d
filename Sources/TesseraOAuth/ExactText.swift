// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension String {
    /// Whether two texts have the same code points.
    ///
    /// `==` takes canonically equivalent texts for equal (the Kelvin sign for `K`); identifiers must not be normalized.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 14](https://openid.net/specs/openid-connect-core-1_0.html#StringOps)
    package func isExactly(_ other: String) -> Bool { self.utf8.elementsEqual(other.utf8) }
}
