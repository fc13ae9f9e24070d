// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth

/// A token that a session's provider gave for some of its scopes; it stands in no record.
package struct NarrowedToken: Sendable {
    private let current: CurrentToken
    /// What the provider says it is good for; nil where it does not say, and so may have narrowed nothing.
    package let scopes: [Scope]?

    init(_ current: CurrentToken, scopes: [Scope]?) {
        self.current = current
        self.scopes = scopes
    }

    /// The token, where it is not about to end and serves for `validity`.
    package func token(validFor validity: Duration = .zero, uptime: Int64) -> AccessToken? {
        let last = min(self.current.dueAt, self.current.expiredAt &- validity.nanoseconds)
        return uptime < last ? self.current.token : nil
    }

    /// The token, however long it serves: it has just come.
    package var token: AccessToken { self.current.token }
}
