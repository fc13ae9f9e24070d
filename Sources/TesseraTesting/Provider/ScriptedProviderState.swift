// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

extension ScriptedProvider {
    /// A user's consent for the client.
    struct Consent: Sendable {
        let subject: String
        let scopes: [String]
        let nonce: String?
        let consentedAt: Date
        var isRevoked = false
    }

    struct Code: Sendable {
        let consent: Int
        let challenge: String
        let redirectURI: String
        /// The `dpop_jkt` parameter of the authorization request.
        let thumbprint: String?
    }

    struct AccessTokenState: Sendable {
        let consent: Int
        let expiresAt: Date
        /// The thumbprint of the key that the token is bound to.
        let thumbprint: String?
    }

    struct RefreshToken: Sendable {
        let consent: Int
        let thumbprint: String?
        var isUsed = false
    }

    struct State: Sendable {
        var options: Options
        var consents: [Consent] = []
        var codes: [String: Code] = [:]
        var refreshTokens: [String: RefreshToken] = [:]
        /// The issued access tokens, keyed by their value.
        var accessTokens: [String: AccessTokenState] = [:]
        /// The `jti` claims of all proofs so far.
        var proofIDs: Set<String> = []
        var scripts: [String: Script] = [:]
        var requests: [RecordedRequest] = []
        var lastNumber = 0

        /// Returns a value that has not been issued yet.
        mutating func secret(_ kind: String, marker: String) -> String {
            self.lastNumber += 1
            return "\(marker)-\(kind)-\(self.lastNumber)"
        }
    }
}

extension ScriptedProvider {
    /// The behavior of a ``ScriptedProvider``, which can be changed at any time.
    public struct Options: Sendable {
        /// A function that creates an ID token from the default claims, or returns `nil` to omit it.
        public typealias IDTokens = @Sendable (_ claims: [JSONMember], _ isRefresh: Bool) throws -> String?

        /// The `expires_in` value in seconds, or `nil` to omit it.
        ///
        /// If this is `nil`, access tokens are valid for an hour.
        public var tokenLifetime: Int64? = 3_600
        /// Whether a refresh returns a new refresh token.
        ///
        /// If the previous refresh token is used again, the entire grant is revoked.
        public var rotatesRefreshTokens = true
        /// Whether the provider issues refresh tokens.
        public var issuesRefreshTokens = true
        /// Whether the token endpoint requires the client secret.
        public var requiresClientSecret = true
        /// Whether token responses contain the granted scopes.
        public var includesScopes = true
        /// Whether a refresh that requests a subset of the scopes returns a token for only this subset (RFC 6749,
        /// section 6).
        ///
        /// Other providers ignore `scope` in a refresh.
        public var narrowsScopesOnRefresh = false
        /// Whether the provider supports DPoP and announces it in its metadata.
        ///
        /// Tokens are bound to the key in the proof. The provider rejects invalid proofs. The API ignores a proof if
        /// the access token is not bound to a key.
        public var supportsDPoP = false
        /// The nonce that every proof to the provider must contain, or `nil` for none.
        public var providerNonce: String?
        /// The nonce that every proof to the API must contain, or `nil` for none.
        public var apiNonce: String?
        /// The names of members to omit from the metadata document.
        public var missingMetadata: Set<String> = []
        /// Additional members to include in every token response, such as Google's `server_code`.
        public var additionalTokenMembers: [String: String] = [:]
        /// A function that replaces the default ID tokens.
        public var idTokens: IDTokens?

        /// Creates options for a provider that rotates refresh tokens and issues access tokens valid for an hour.
        public init() {}
    }
}
