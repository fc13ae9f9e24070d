// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// One person's way through the pages, from a checked authorization request to the redirect.
struct AuthorizationAttempt: Sendable {
    var client: LocalProviderClient
    var redirectURI: String
    var scopes: [String]
    var state: String?
    var nonce: String?
    var codeChallenge: String
    var isOffline: Bool
    var includesGrantedScopes: Bool
    var prompts: Set<String>
    var loginHint: String?
    var hostedDomain: String?
    var maximumAge: Int64?
    /// The client of the program's server, which gets a code of its own.
    var audience: String?
    var deadline: Int64
    /// The account, once it is chosen, and when.
    var subject: String?
    var authenticatedAt: Int64?
}
#endif
