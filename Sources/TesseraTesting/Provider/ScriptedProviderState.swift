// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

extension ScriptedProvider {
    /// What one consent granted to the client.
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
        /// `dpop_jkt`.
        let thumbprint: String?
    }

    struct AccessTokenState: Sendable {
        let consent: Int
        let expiresAt: Date
        /// The key that the token is bound to.
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
        /// Access tokens by text.
        var accessTokens: [String: AccessTokenState] = [:]
        /// The `jti` of every proof so far.
        var proofIDs: Set<String> = []
        var scripts: [String: Script] = [:]
        var requests: [RecordedRequest] = []
        var lastNumber = 0

        /// A text that was not given before.
        mutating func secret(_ kind: String, marker: String) -> String {
            self.lastNumber += 1
            return "\(marker)-\(kind)-\(self.lastNumber)"
        }
    }
}

extension ScriptedProvider {
    /// How a ScriptedProvider behaves; may be changed at any time.
    public struct Options: Sendable {
        /// Makes the text of an ID token from the claims that it should have; nil leaves it out.
        public typealias IDTokens = @Sendable (_ claims: [JSONMember], _ isRefresh: Bool) throws -> String?

        /// `expires_in` in seconds, nil for none; access tokens then serve for an hour.
        public var tokenLifetime: Int64? = 3_600
        /// Whether a refresh brings a new refresh token.
        ///
        /// The old one, sent again, then revokes the whole grant.
        public var rotatesRefreshTokens = true
        /// Whether there are refresh tokens at all.
        public var givesRefreshTokens = true
        /// Whether the token endpoint wants the client's secret.
        public var demandsClientSecret = true
        /// Whether token answers say which scopes were granted.
        public var tellsScopes = true
        /// Whether a refresh that asks for some of the scopes brings a token for these alone (RFC 6749, section 6).
        ///
        /// Other providers pass `scope` over.
        public var narrowsTokens = false
        /// Whether it binds tokens to the key of a DPoP proof, and says so in its metadata.
        ///
        /// A proof that is wrong in any way is refused; one that comes to the API without a bound token is passed over.
        public var supportsDPoP = false
        /// The nonce that every proof to the provider has to carry, nil for none.
        public var providerNonce: String?
        /// The nonce that every proof to the API has to carry, nil for none.
        public var apiNonce: String?
        /// Members of the metadata document that are left out.
        public var missingMetadata: Set<String> = []
        /// More members of every token answer, such as Google's `server_code`.
        public var additionalTokenMembers: [String: String] = [:]
        /// Other ID tokens than honest ones.
        public var idTokens: IDTokens?

        /// An honest provider with rotating refresh tokens and access tokens for an hour.
        public init() {}
    }
}
