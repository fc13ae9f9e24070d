// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension SessionRecord {
    /// Creates a record from the result of ``encoded()``.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text.
    ///   - location: The file or item, for error messages.
    /// - Throws: ``StoreError`` with the code `newerFormat` if a later version wrote the record, or `corrupt` if the
    ///   text is not valid.
    public init(decoding bytes: [UInt8], location: String) throws(StoreError) {
        do {
            let fields = try JSONFields(
                parsing: bytes,
                rule: .storedRecord,
                section: "the stored session's format",
                subject: "the record"
            )
            guard let format = try fields.integer("format") else { throw StoreError(.corrupt, location: location) }
            guard format <= Self.format else { throw StoreError(.newerFormat, location: location) }
            try self.init(fields)
        } catch let error as StoreError {
            throw error
        } catch let error as ProtocolViolationError {
            throw StoreError(.corrupt, location: location, detail: "expected \(error.expected)")
        } catch {
            throw StoreError(.corrupt, location: location)
        }
    }

    private init(_ fields: JSONFields) throws {
        let provider = try Provider(decoding: try fields.child("provider"))
        self.init(
            account: try Account(decoding: try fields.child("account")),
            generation: try fields.count("generation"),
            tokens: try fields.present("tokens").map { try TokenSet(decoding: try fields.child("tokens", $0)) },
            grantedScopes: try GrantedScopes(decoding: try fields.child("grant"), aliases: provider.scopeAliases),
            identity: try Identity(decoding: try fields.child("identity")),
            provider: provider,
            authorizedOrigins: try (try fields.strings("authorizedOrigins") ?? []).map { try OriginPattern($0) },
            resources: try fields.strings("resources") ?? [],
            history: try SessionHistory(decoding: try fields.child("history")),
            dpopKey: try fields.present("dpop").map { try DPoPKey(decoding: try fields.child("dpop", $0)) },
            requiredClaims: try fields.map("requiredClaims"),
            redirectURI: try fields.string("redirectURI")
        )
    }
}

extension ProtocolViolationError.Rule {
    static let storedRecord = Self(rawValue: "store.record")
}

extension JSONFields {
    func child(_ name: String, _ value: JSONValue? = nil) throws(ProtocolViolationError) -> JSONFields {
        guard let value = value ?? self.object[name] else { throw self.violation(name, "none") }
        return try JSONFields(value, rule: .storedRecord, section: "the stored session's format", subject: name)
    }

    fileprivate func date(_ name: String) throws(ProtocolViolationError) -> Date? {
        try self.integer(name).map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }

    /// Returns a count that can be incremented without overflow, or 0 if it is absent.
    fileprivate func count(_ name: String) throws(ProtocolViolationError) -> Int64 {
        let count = try self.integer(name) ?? 0
        guard (0...(1 << 53)).contains(count) else { throw self.violation("\(name) to be a count", "\(count)") }
        return count
    }

    func map(_ name: String) throws(ProtocolViolationError) -> [String: String] {
        guard let value = self.present(name) else { return [:] }
        guard let members = value.members else { throw self.wrong(name, "an object of strings", value) }
        var result: [String: String] = [:]
        for member in members {
            guard let text = member.value.string else { throw self.wrong(name, "an object of strings", member.value) }
            result[member.name] = text
        }
        return result
    }

    fileprivate func secret(_ name: String) throws(ProtocolViolationError) -> Secret? {
        try self.string(name).map { Secret($0) }
    }
}

extension DPoPKey {
    fileprivate init(decoding fields: JSONFields) throws {
        try self.init(
            pem: Secret(try fields.requiredString("privateKey")),
            algorithm: JWSAlgorithm(rawValue: try fields.requiredString("algorithm"))
        )
    }
}

extension Account {
    fileprivate init(decoding fields: JSONFields) throws(ProtocolViolationError) {
        self.init(
            issuer: try fields.requiredString("issuer"),
            clientID: try fields.requiredString("clientID"),
            subject: try fields.requiredString("subject")
        )
    }
}

extension TokenSet {
    fileprivate init(decoding fields: JSONFields) throws(ProtocolViolationError) {
        self.init(
            accessToken: Secret(try fields.requiredString("accessToken")),
            tokenType: try Self.type(fields),
            obtainedAt: try fields.date("obtainedAt") ?? .distantPast,
            lifetime: try fields.integer("lifetime"),
            refreshToken: try fields.secret("refreshToken"),
            idToken: try fields.secret("idToken")
        )
    }

    /// Returns the token type, and throws an error if this version does not know it.
    private static func type(_ fields: JSONFields) throws(ProtocolViolationError) -> TokenType {
        guard let text = try fields.string("tokenType") else { return .bearer }
        guard let type = [TokenType.bearer, .dpop].first(where: { $0.rawValue == text }) else {
            throw fields.violation("a known tokenType", nil)
        }
        return type
    }
}

extension GrantedScopes {
    fileprivate init(decoding fields: JSONFields, aliases: ScopeAliases) throws(ProtocolViolationError) {
        self.init(
            requested: try Self.scopes(fields, "requested"),
            granted: try Self.scopes(fields, "granted"),
            aliases: aliases
        )
    }

    /// Returns the valid scopes in a member.
    ///
    /// Earlier versions stored scopes exactly as the provider wrote them. A scope that is not valid cannot be
    /// requested.
    private static func scopes(_ fields: JSONFields, _ name: String) throws(ProtocolViolationError) -> [Scope] {
        (try fields.strings(name) ?? []).filter(ScopeList.isScopeToken).map { Scope($0) }
    }
}

extension Identity {
    fileprivate init(decoding fields: JSONFields) throws(ProtocolViolationError) {
        self.init(
            email: try fields.string("email"),
            emailVerified: try fields.bool("emailVerified"),
            name: try fields.string("name"),
            picture: try fields.string("picture"),
            hostedDomain: try fields.string("hostedDomain"),
            sessionID: try fields.string("sessionID"),
            label: try fields.string("label")
        )
    }
}

extension SessionHistory {
    fileprivate init(decoding fields: JSONFields) throws {
        self.init(
            consentedAt: try fields.date("consentedAt") ?? .distantPast,
            selectedAt: try fields.date("selectedAt"),
            lastRefreshAt: try fields.date("lastRefreshAt"),
            refreshCount: try fields.count("refreshCount"),
            refreshTokenExpiresAt: try fields.date("refreshTokenExpiresAt"),
            refreshTokenReplacedAt: try fields.date("refreshTokenReplacedAt"),
            clientType: try fields.string("clientType"),
            endedAt: try fields.date("endedAt"),
            endReason: try fields.string("endReason"),
            signInCount: max(1, try fields.count("signInCount")),
            clockSkew: try fields.integer("clockSkew"),
            refusal: try fields.present("refusal").map { try OAuthError(decoding: try fields.child("refusal", $0)) }
        )
    }
}

extension OAuthError {
    fileprivate init(decoding fields: JSONFields) throws(ProtocolViolationError) {
        self.init(
            Code(rawValue: try fields.requiredString("error")),
            serverDescription: try fields.string("description"),
            errorURI: try fields.string("uri"),
            status: try fields.integer("status").flatMap { Int(exactly: $0) },
            subtype: try fields.string("subtype")
        )
    }
}

extension JWSSigningKey {
    fileprivate init(decoding fields: JSONFields) throws {
        try self.init(
            pem: try fields.requiredString("pem"),
            algorithm: JWSAlgorithm(rawValue: try fields.requiredString("algorithm"))
        )
        self.keyID = try fields.string("keyID")
    }
}

extension Provider {
    fileprivate init(decoding fields: JSONFields) throws {
        var insecure: Insecure = try fields.bool("insecureLoopbackHTTP") == true ? .loopbackHTTP : []
        if try fields.bool("insecureBearerInsteadOfDPoP") == true { insecure.insert(.bearerInsteadOfDPoP) }
        self.init(
            name: try fields.string("name"),
            issuer: try Issuer(try fields.requiredString("issuer"), insecure: insecure),
            metadata: try fields.present("metadata")
                .map { [insecure] in try ServerMetadata(parsing: Array($0.text.utf8), insecure: insecure) },
            client: OAuthClient(
                clientID: try fields.requiredString("clientID"),
                clientSecret: try fields.secret("clientSecret"),
                assertionKey: try fields.present("assertionKey")
                    .map { try JWSSigningKey(decoding: try fields.child("assertionKey", $0)) },
                assertionAudience: try fields.string("assertionAudience")
                    .flatMap { AssertionAudience(rawValue: $0) } ?? .issuer,
                authentication: try fields.string("authentication").flatMap { ClientAuthentication(rawValue: $0) },
                certificateBoundAccessTokens: try fields.bool("certificateBoundAccessTokens") ?? false,
                idTokenAlgorithms: try Self.idTokenAlgorithms(fields),
                securityProfile: try Self.securityProfile(fields)
            ),
            issuerAliases: try fields.strings("issuerAliases") ?? [],
            scopeAliases: ScopeAliases(
                Dictionary(
                    uniqueKeysWithValues: try fields.map("scopeAliases").map { (Scope($0.key), Scope($0.value)) }
                )
            ),
            authorizationParameters: try fields.map("authorizationParameters"),
            incrementalParameters: try fields.map("incrementalParameters"),
            authorizedOrigins: try (try fields.strings("authorizedOrigins") ?? []).map { try OriginPattern($0) },
            insecure: insecure,
            dpop: try fields.string("dpop").flatMap { DPoPPolicy(rawValue: $0) } ?? .never,
            refreshTokenPolicy: try fields.string("grantRules").map { RefreshTokenPolicy(name: $0) }
        )
    }

    /// Returns the client's security profile, and throws an error if this version does not know it.
    private static func securityProfile(_ fields: JSONFields) throws(ProtocolViolationError) -> SecurityProfile? {
        guard let text = try fields.string("securityProfile") else { return nil }
        guard let profile = SecurityProfile(rawValue: text) else {
            throw fields.violation("a known securityProfile", nil)
        }
        return profile
    }

    /// Returns the client's ID token algorithms, or nil if the provider's metadata determines them.
    ///
    /// Earlier versions defaulted to `RS256` and did not record whether the list was the default.
    private static func idTokenAlgorithms(_ fields: JSONFields) throws(ProtocolViolationError) -> [JWSAlgorithm]? {
        let names = try fields.strings("idTokenAlgorithms") ?? ["RS256"]
        let isDefault = try fields.bool("idTokenAlgorithmsAreDefault") ?? (names == ["RS256"])
        return isDefault ? nil : names.map { JWSAlgorithm(rawValue: $0) }
    }
}
