// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What an authorization code stands for.
struct AuthorizationCode: Sendable {
    var clientID: String
    /// Empty for a server's code, which no redirect brings.
    var redirectURI: String
    /// Nil for a server's code.
    var codeChallenge: String?
    var subject: String
    var scopes: [String]
    var nonce: String?
    var authenticatedAt: Int64?
    var isOffline: Bool
    /// The client of the program's server, which gets a code of its own.
    var audience: String?
    var deadline: Int64
    /// The family of the tokens that the code gave; nil while it is unused.
    var usedForFamily: Int?
}
#endif
