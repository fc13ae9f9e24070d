// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Which redirects are followed: those of `GET` and `HEAD`, as far as this says.
///
/// Within the origin the call goes on as it is. Elsewhere it goes without the token, and with no other field than those
/// that any stranger may see (`Accept`, `Range`, `If-Range`, `User-Agent` and the like), over https only; what comes after
/// that never has the token again.
///
/// - SeeAlso: [RFC 9110, section 15.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4)
public struct RedirectPolicy: Sendable, Hashable {
    /// How many are followed for one call; the next one is its answer.
    public var limit: Int
    /// Whether one to another origin is followed, too.
    public var leavesOrigin: Bool

    /// A policy.
    public init(limit: Int, leavesOrigin: Bool) {
        self.limit = limit
        self.leavesOrigin = leavesOrigin
    }

    /// Redirects are answers.
    public static let none = RedirectPolicy(limit: 0, leavesOrigin: false)
    /// Five within the origin: one to another is an answer.
    public static let sameOrigin = RedirectPolicy(limit: 5, leavesOrigin: false)
    /// Five, to wherever they lead.
    public static let anywhere = RedirectPolicy(limit: 5, leavesOrigin: true)
}
