// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What an access token stands for.
struct AccessToken: Sendable {
    var clientID: String
    var subject: String
    var scopes: [String]
    var isOffline: Bool
    var deadline: Int64
    var family: Int
    /// Whom the ID token beside it is for, where that is another client than the token's.
    var audience: String?
}
#endif
