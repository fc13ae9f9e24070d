// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth

/// A token for some of a session's scopes, which is in no record.
package struct NarrowedToken: Sendable, Equatable {
    package let token: AccessToken
    /// The scopes that the provider granted; nil where it does not tell them, and so may have narrowed nothing.
    package let scopes: [Scope]?

    package init(token: AccessToken, scopes: [Scope]?) {
        self.token = token
        self.scopes = scopes
    }

    /// Whether both have the same token.
    package static func == (left: Self, right: Self) -> Bool { left.token == right.token }
}
