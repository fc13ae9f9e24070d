// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What a refresh token stands for.
struct RefreshToken: Sendable {
    var clientID: String
    var subject: String
    var scopes: [String]
    var authenticatedAt: Int64?
    var family: Int
    /// When it was used for the last time; made, before the first.
    var usedAt: Int64
    /// When the grant ends; nil for never.
    var end: Int64?
    /// Whether a newer one took its place: used again, it ends the family (RFC 9700, section 4.14.2).
    var isReplaced = false
}
#endif
