// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
