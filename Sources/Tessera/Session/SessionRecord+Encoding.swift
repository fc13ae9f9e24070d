// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension SessionRecord {
    /// The version of the format that ``encoded()`` writes.
    static let format: Int64 = 1

    /// Returns the record as JSON text with secrets and private keys in plaintext.
    ///
    /// The store must encrypt the text or protect it in another way.
    public func encoded() -> [UInt8] {
        var members: [JSONMember] = [
            JSONMember(name: "format", value: .integer(Self.format)),
            JSONMember(name: "account", value: self.account.node),
            JSONMember(name: "generation", value: .integer(self.generation)),
            JSONMember(name: "grant", value: self.grantedScopes.node),
            JSONMember(name: "identity", value: self.identity.node),
            JSONMember(name: "provider", value: self.provider.node),
            JSONMember(name: "authorizedOrigins", value: .strings(self.authorizedOrigins.map(\.description))),
            JSONMember(name: "history", value: self.history.node),
        ]
        if !self.resources.isEmpty { members.append(JSONMember(name: "resources", value: .strings(self.resources))) }
        if !self.requiredClaims.isEmpty {
            members.append(JSONMember(name: "requiredClaims", value: .map(self.requiredClaims)))
        }
        if let redirectURI { members.append(JSONMember(name: "redirectURI", value: .string(redirectURI))) }
        if let dpopKey { members.append(JSONMember(name: "dpop", value: dpopKey.node)) }
        if let tokens { members.append(JSONMember(name: "tokens", value: tokens.node)) }
        return JSONNode.object(members).serialized()
    }
}

extension JSONNode {
    static func strings(_ strings: [String]) -> JSONNode { .array(strings.map { .string($0) }) }

    /// Returns an object that contains the members whose values are not nil.
    static func present(_ members: [(String, JSONNode?)]) -> JSONNode {
        .object(members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } })
    }

    static func text(_ string: String?) -> JSONNode? { string.map { .string($0) } }
    static func secret(_ secret: Secret?) -> JSONNode? { secret.map { $0.withUnredacted { .string($0) } } }
    static func map(_ strings: [String: String]) -> JSONNode {
        .object(strings.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: .string($0.value)) })
    }

    /// Returns a date as milliseconds since 1970.
    static func date(_ date: Date?) -> JSONNode? {
        date.flatMap { Int64(exactly: $0.millisecondsSince1970) }.map { .integer($0) }
    }
}

extension Date {
    fileprivate var millisecondsSince1970: Double { (self.timeIntervalSince1970 * 1_000).rounded() }

    /// The date with the precision of a stored record.
    var inWholeMilliseconds: Date { Date(timeIntervalSince1970: self.millisecondsSince1970 / 1_000) }
}

extension Account {
    var node: JSONNode {
        .present([
            ("issuer", .string(self.issuer)), ("clientID", .string(self.clientID)), ("subject", .string(self.subject)),
        ])
    }
}

extension TokenSet {
    var node: JSONNode {
        .present([
            ("accessToken", .secret(self.accessToken)),
            ("tokenType", .string(self.tokenType.rawValue)),
            ("obtainedAt", .date(self.obtainedAt)),
            ("lifetime", self.lifetime.map { .integer($0) }),
            ("refreshToken", .secret(self.refreshToken)),
            ("idToken", .secret(self.idToken)),
        ])
    }
}

extension DPoPKey {
    var node: JSONNode {
        .present([("algorithm", .string(self.algorithm.rawValue)), ("privateKey", .secret(self.pem))])
    }
}

extension GrantedScopes {
    var node: JSONNode {
        .present([
            ("requested", .strings(self.requested.map(\.rawValue))),
            ("granted", .strings(self.granted.map(\.rawValue))),
        ])
    }
}

extension Identity {
    var node: JSONNode {
        .present([
            ("email", .text(self.email)),
            ("emailVerified", self.emailVerified.map { .bool($0) }),
            ("name", .text(self.name)),
            ("picture", .text(self.picture)),
            ("hostedDomain", .text(self.hostedDomain)),
            ("sessionID", .text(self.sessionID)),
            ("label", .text(self.label)),
        ])
    }
}

extension SessionHistory {
    var node: JSONNode {
        .present([
            ("consentedAt", .date(self.consentedAt)),
            ("selectedAt", .date(self.selectedAt)),
            ("lastRefreshAt", .date(self.lastRefreshAt)),
            ("refreshCount", .integer(self.refreshCount)),
            ("refreshTokenExpiresAt", .date(self.refreshTokenExpiresAt)),
            ("refreshTokenReplacedAt", .date(self.refreshTokenReplacedAt)),
            ("clientType", .text(self.clientType)),
            ("endedAt", .date(self.endedAt)),
            ("endReason", .text(self.endReason)),
            ("signInCount", self.signInCount == 1 ? nil : .integer(self.signInCount)),
            ("clockSkew", self.clockSkew.map { .integer($0) }),
            ("refusal", self.refusal?.node),
        ])
    }
}

extension OAuthError {
    /// The parts of the error that a later diagnosis needs.
    fileprivate var node: JSONNode {
        .present([
            ("error", .string(self.code.rawValue)),
            ("description", .text(self.serverDescription)),
            ("subtype", .text(self.subtype)),
            ("uri", .text(self.errorURI)),
            ("status", self.status.map { .integer(Int64($0)) }),
        ])
    }
}

extension JWSSigningKey {
    /// The key, including its private part, which the store must protect.
    var node: JSONNode {
        .present([
            ("pem", .string(self.pemRepresentation)), ("algorithm", .string(self.algorithm.rawValue)),
            ("keyID", .text(self.keyID)),
        ])
    }
}

extension Provider {
    var node: JSONNode {
        // Earlier versions of Tessera read this list as the client's own setting.
        let algorithms = self.client.idTokenAlgorithms(supported: self.metadata?.idTokenSigningAlgValuesSupported)
        let names = (self.client.idTokenAlgorithms ?? algorithms).map(\.rawValue)
        let isDefault = self.client.idTokenAlgorithms == nil
        return .present([
            ("name", .string(self.name)),
            ("issuer", .string(self.issuer.url)),
            ("metadata", self.metadata.map { .parsed($0.document) }),
            ("clientID", .string(self.client.clientID)),
            ("clientSecret", .secret(self.client.clientSecret)),
            ("authentication", .text(self.client.authentication?.rawValue)),
            ("assertionKey", self.client.assertionKey?.node),
            (
                "assertionAudience",
                self.client.assertionAudience == .issuer ? nil : .string(self.client.assertionAudience.rawValue)
            ),
            ("certificateBoundAccessTokens", self.client.certificateBoundAccessTokens ? .bool(true) : nil),
            ("securityProfile", .text(self.client.securityProfile?.rawValue)),
            ("idTokenAlgorithms", .strings(names)),
            ("idTokenAlgorithmsAreDefault", isDefault == (names == ["RS256"]) ? nil : .bool(isDefault)),
            ("issuerAliases", .strings(self.issuerAliases)),
            (
                "scopeAliases",
                .map(
                    Dictionary(
                        uniqueKeysWithValues: self.scopeAliases.canonicalByAlias.map {
                            ($0.key.rawValue, $0.value.rawValue)
                        }
                    )
                )
            ),
            ("authorizationParameters", .map(self.authorizationParameters)),
            ("incrementalParameters", .map(self.incrementalParameters)),
            ("authorizedOrigins", .strings(self.authorizedOrigins.map(\.description))),
            ("insecureLoopbackHTTP", self.insecure.contains(.loopbackHTTP) ? .bool(true) : nil),
            ("insecureBearerInsteadOfDPoP", self.insecure.contains(.bearerInsteadOfDPoP) ? .bool(true) : nil),
            ("grantRules", .text(self.refreshTokenPolicy?.name)),
            ("dpop", self.dpop == .never ? nil : .string(self.dpop.rawValue)),
        ])
    }
}
