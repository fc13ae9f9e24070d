// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Stored session records")
struct SessionRecordTests {
    @Test("Round-trips a session record with random values", .covers(119))
    func roundTrip() throws {
        let seed = TestSeed.printed()
        var random = RandomValues(seed: seed)
        for _ in 0..<200 {
            let record = try random.record()
            let read = try SessionRecord(decoding: record.encoded(), location: "test")
            #expect(read == record, "seed \(seed)")
            #expect(read.encoded() == record.encoded(), "seed \(seed)")
        }
    }

    @Test("Storing a record does not change the time of the consent, which identifies it")
    func consentTime() async throws {
        let environment = try TestEnvironment()
        let clock = environment.network.clock
        clock.setWallClock(to: clock.date + 0.000_4)
        let record = try await environment.session().record
        let stored = try SessionRecord(decoding: record.encoded(), location: "test")
        #expect(stored.history.consentedAt == record.history.consentedAt)
    }

    @Test("Rejects a session record with a newer format", .covers(119), arguments: ["2", "9007199254740993"])
    func newer(format: String) throws {
        let text = try Self.text().replacing(#""format":1"#, with: #""format":\#(format)"#)
        #expect { try SessionRecord(decoding: Array(text.utf8), location: "test") } throws: {
            StoreError.Code.newerFormat ~= $0
        }
    }

    @Test("Ignores unknown members of a session record", .covers(119))
    func unknownMembers() throws {
        let text = try Self.text()
            .replacing(#"{"format":1"#, with: #"{"new":[{}],"format":1"#)
            .replacing(#""tokens":{"#, with: #""tokens":{"dpop":{"a":1},"#)
        #expect(try SessionRecord(decoding: Array(text.utf8), location: "test") == Self.sample())
    }

    @Test("Rejects a truncated or damaged session record without crashing", .covers(119))
    func damaged() throws {
        let bytes = try Self.sample().encoded()
        for length in bytes.indices {
            #expect { try SessionRecord(decoding: Array(bytes.prefix(length)), location: "test") } throws: {
                StoreError.Code.corrupt ~= $0
            }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] = 0
            #expect(throws: StoreError.self) { try SessionRecord(decoding: damaged, location: "test") }
        }
    }

    @Test(
        "Rejects a session record with a missing, mistyped or out-of-range member",
        .covers(119),
        arguments: [
            (#""format":1"#, #""format":"1""#), (#""format":1"#, #""format":1.5"#),
            (#""generation":1"#, #""generation":-1"#),
            (#""generation":1"#, #""generation":9223372036854775807"#), (#""refreshCount":1"#, #""refreshCount":9e18"#),
            (#""lifetime":3600"#, #""lifetime":1e400"#), (#""tokens":{"#, #""tokens":[],"x":{"#),
            (#""accessToken":"#, #""access_token":"#), (#""issuer":"https:"#, #""issuer":"http:"#),
            (#""subject":"#, #""sub":"#), (#""provider":"#, #""providers":"#), (#""granted":["#, #""granted":[1,"#),
        ]
    )
    func wrongMembers(_ old: String, _ new: String) throws {
        let text = try Self.text()
        #expect(text.contains(old))
        #expect { try SessionRecord(decoding: Array(text.replacing(old, with: new).utf8), location: "test") } throws: {
            StoreError.Code.corrupt ~= $0
        }
    }

    @Test("Reads a record without an assertion key, and round-trips a key with its ID and algorithm", .covers(119))
    func assertionKey() throws {
        var record = try Self.sample()
        let plain = String(decoding: record.encoded(), as: UTF8.self)
        #expect(!plain.contains("assertionKey"))
        #expect(!plain.contains("certificateBoundAccessTokens"))
        for name in ["client-key", nil] {
            var key = try JWSSigningKey(pem: try JWSSigningKey.generate(.rs256).pemRepresentation, algorithm: .ps256)
            key.keyID = name
            record.provider.client.assertionKey = key
            let read = try SessionRecord(decoding: record.encoded(), location: "test")
            #expect(read.provider.client.assertionKey == key)
            #expect(read.provider.client.assertionKey?.pemRepresentation == key.pemRepresentation)
        }
        let broken = String(decoding: record.encoded(), as: UTF8.self).replacing("PRIVATE KEY", with: "KEY")
        let error = #expect(throws: StoreError.self) {
            try SessionRecord(decoding: Array(broken.utf8), location: "test")
        }
        #expect(error?.code == .corrupt)
    }

    @Test("Stores the assertion audience, which is the issuer in older records", .covers(119))
    func assertionAudience() throws {
        let older = try SessionRecord(decoding: Array(Self.beforeAudiences.utf8), location: "test")
        #expect(older.provider.client.authentication == .privateKeyJWT)
        #expect(older.provider.client.assertionAudience == .issuer)
        #expect(older.history.refreshTokenReplacedAt == nil)
        #expect(String(decoding: older.encoded(), as: UTF8.self) == Self.beforeAudiences)
        var record = older
        record.provider.client.assertionAudience = .endpoint
        let read = try SessionRecord(decoding: record.encoded(), location: "test")
        #expect(read == record)
        #expect(read.provider.client.assertionAudience == .endpoint)
    }

    /// A record written by a version without assertion audiences.
    private static let beforeAudiences =
        #"{"format":1,"account":{"issuer":"https://id.example","clientID":"client","subject":"ada"},"generation":1,"#
        + #""grant":{"requested":["openid"],"granted":["openid"]},"identity":{},"#
        + #""provider":{"name":"id.example","issuer":"https://id.example","clientID":"client","#
        + #""authentication":"private_key_jwt","idTokenAlgorithms":["RS256"],"issuerAliases":[],"scopeAliases":{},"#
        + #""authorizationParameters":{},"incrementalParameters":{},"authorizedOrigins":[]},"authorizedOrigins":[],"#
        + #""history":{"consentedAt":1700000000000,"refreshCount":0}}"#

    @Test("Treats the default ID token algorithms of an older record as unset", .covers(119, 140))
    func idTokenAlgorithms() throws {
        func read(_ algorithms: String) throws -> [JWSAlgorithm]? {
            let text = Self.beforeAudiences.replacing(#""idTokenAlgorithms":["RS256"],"#, with: algorithms)
            return try SessionRecord(decoding: Array(text.utf8), location: "test").provider.client.idTokenAlgorithms
        }
        #expect(try read(#""idTokenAlgorithms":["RS256"],"#) == nil)
        #expect(try read("") == nil)
        #expect(try read(#""idTokenAlgorithms":["ES256"],"#) == [.es256])
        #expect(try read(#""idTokenAlgorithms":[],"#) == [])
        // Earlier versions read the list as the client's algorithms, so it contains the accepted ones.
        var record = try SessionRecord(decoding: Array(Self.beforeAudiences.utf8), location: "test")
        record.provider.metadata = try ServerMetadata([
            ("issuer", "https://id.example"), ("token_endpoint", "https://id.example/token"),
            ("id_token_signing_alg_values_supported", ["none", "ES256"]),
        ])
        let text = String(decoding: record.encoded(), as: UTF8.self)
        #expect(text.contains(#""idTokenAlgorithms":["ES256"]"#))
        #expect(try SessionRecord(decoding: Array(text.utf8), location: "test") == record)
    }

    @Test("Rejects a record with a security profile that this version does not know", .covers(119))
    func securityProfile() throws {
        func read(_ profile: String) throws -> SecurityProfile? {
            let text = Self.beforeAudiences.replacing(
                #""issuerAliases""#,
                with: #""securityProfile":"\#(profile)","issuerAliases""#
            )
            return try SessionRecord(decoding: Array(text.utf8), location: "test").provider.client.securityProfile
        }
        #expect(try read("fapi2") == .fapi2)
        let error = #expect(throws: StoreError.self) { try read("fapi3") }
        #expect(error?.code == .corrupt)
    }

    @Test("Discards invalid scopes of a session record", .covers(119, 148))
    func scopes() throws {
        let text = Self.beforeAudiences
            .replacing(
                #""granted":["openid"]"#,
                with: #""granted":["openid","a\u001b]52;c;AA\u0007","","a b","\u202e","email"]"#
            )
            .replacing(#""requested":["openid"]"#, with: #""requested":["\u009b31m"]"#)
        let record = try SessionRecord(decoding: Array(text.utf8), location: "test")
        #expect(record.grantedScopes.granted == [.openID, .email])
        #expect(record.grantedScopes.requested.isEmpty)
    }

    @Test(
        "Rejects a session record whose required claims have the wrong type",
        .covers(119, 129),
        arguments: ["[]", "7", #"{"hd":7}"#, #"{"hd":null}"#, #""hd""#]
    )
    func requiredClaims(claims: String) throws {
        let text = Self.beforeAudiences.replacing(#""history":"#, with: #""requiredClaims":\#(claims),"history":"#)
        #expect { try SessionRecord(decoding: Array(text.utf8), location: "test") } throws: {
            StoreError.Code.corrupt ~= $0
        }
    }

    @Test("Requires no claims for a record of an earlier version", .covers(119, 129))
    func noRequiredClaims() throws {
        let older = try SessionRecord(decoding: Array(Self.beforeAudiences.utf8), location: "test")
        #expect(older.requiredClaims.isEmpty)
        #expect(older.redirectURI == nil)
    }

    @Test(
        "Stores a DPoP key without printing it, and rejects an invalid key",
        .covers(104, 119, 124)
    )
    func dpopKey() throws {
        var record = try Self.sample()
        let key = try DPoPKey.generate()
        record.dpopKey = key
        record.tokens?.tokenType = .dpop
        let read = try SessionRecord(decoding: record.encoded(), location: "test")
        #expect(read == record)
        #expect(read.dpopKey == key)
        #expect(read.tokens?.tokenType == .dpop)
        let text = String(decoding: record.encoded(), as: UTF8.self)
        let body = try #require(
            key.pem.withUnredacted { $0.split(separator: "\n").dropFirst().first.map { String($0.suffix(20)) } }
        )
        #expect(text.replacing("\\/", with: "/").contains(body))
        var dumped = ""
        dump(read, to: &dumped)
        for rendering in ["\(read)", String(reflecting: read), dumped] { #expect(!rendering.contains(body)) }
        for (old, new) in [
            ("BEGIN PRIVATE", "BEGIN SECRET"), (#""algorithm":"ES256""#, #""algorithm":"ES384""#),
            (#""algorithm":"ES256","#, ""), (#""tokenType":"DPoP""#, #""tokenType":"mac""#),
        ] {
            #expect(text.contains(old))
            let changed = text.replacing(old, with: new)
            let error = #expect(throws: StoreError.self) {
                try SessionRecord(decoding: Array(changed.utf8), location: "test")
            }
            #expect(error?.code == .corrupt)
            #expect(!String(reflecting: error).contains(body))
        }
    }

    @Test("Reads an older record without a token type as a bearer session", .covers(119))
    func older() throws {
        let text = try Self.text()
        let older = text.replacing(#""tokenType":"Bearer","#, with: "")
        #expect(older != text)
        #expect(try SessionRecord(decoding: Array(older.utf8), location: "test") == Self.sample())
    }

    @Test("Does not print the contents of a session record in an error", .covers(124))
    func secrecy() throws {
        let text = try Self.text().replacing(#""accessToken":"#, with: #""accessToken":7,"other":"#)
        let error = #expect(throws: StoreError.self) { try SessionRecord(decoding: Array(text.utf8), location: "test") }
        #expect(!String(reflecting: error).contains("sample-"))
    }

    private static func sample() throws -> SessionRecord {
        try .sample(for: Account(issuer: "https://accounts.example", clientID: "client", subject: "ada"), size: 8)
    }

    private static func text() throws -> String { String(decoding: try Self.sample().encoded(), as: UTF8.self) }
}

/// Random values that a seed reproduces.
private struct RandomValues {
    private let bytes: SeededRandomBytes

    init(seed: UInt64) { self.bytes = SeededRandomBytes(seed: seed) }

    private static let key = Result { try JWSSigningKey.generate(.es256) }

    private func number(_ bound: Int) -> Int { self.bytes.next(4).reduce(0) { $0 << 8 | Int($1) } % bound }

    private func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "\"", "\\", "\n", "\u{0}", "é", "\u{301}", "漢", "\u{1F511}", "\u{2028}", " ",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0...self.number(12) { text.append(scalars[self.number(scalars.count)]) }
        return String(text)
    }

    private func maybe<Value>(_ value: @autoclosure () throws -> Value) rethrows -> Value? {
        self.number(3) == 0 ? nil : try value()
    }
    private func list<Value>(_ value: @autoclosure () -> Value) -> [Value] { (0..<self.number(4)).map { _ in value() } }
    private func map() -> [String: String] {
        Dictionary(self.list((self.text(), self.text()))) { first, _ in first }
    }
    private func date() -> Date {
        Date(timeIntervalSince1970: Double(self.number(2_000_000_000)) + Double(self.number(1_000)) / 1_000)
    }
    private func scope() -> Scope { Scope("scope-\(self.number(1_000))") }

    mutating func record() throws -> SessionRecord {
        let insecure: Insecure = self.number(2) == 0 ? [] : .loopbackHTTP
        let issuer = try Issuer(
            insecure.isEmpty ? "https://id.example/t\(self.number(9))" : "http://127.0.0.1:8080",
            insecure: insecure
        )
        let origin = try OriginPattern("https://*.api\(self.number(9)).example")
        let aliases = ScopeAliases(Dictionary(self.list((self.scope(), self.scope()))) { first, _ in first })
        let metadata = try ServerMetadata(
            [
                ("issuer", .string(issuer.url)), ("token_endpoint", .string(issuer.url + "/token")),
                ("other", [nil, 1, 1.5, .string(self.text())]),
                ("id_token_signing_alg_values_supported", .array(self.list(self.number(2) == 0 ? "ES256" : "RS256"))),
            ],
            insecure: insecure
        )
        return SessionRecord(
            account: Account(issuer: issuer.url, clientID: "c" + self.text(), subject: "s" + self.text()),
            generation: Int64(self.number(1_000_000)),
            tokens: self.maybe(
                TokenSet(
                    accessToken: Secret("a" + self.text()),
                    obtainedAt: self.date(),
                    lifetime: self.maybe(Int64(self.number(100_000))),
                    refreshToken: self.maybe(Secret(self.text())),
                    idToken: self.maybe(Secret(self.text()))
                )
            ),
            grantedScopes: GrantedScopes(
                requested: self.list(self.scope()),
                granted: self.list(self.scope()),
                aliases: aliases
            ),
            identity: Identity(
                email: self.maybe(self.text()),
                emailVerified: self.maybe(self.number(2) == 0),
                name: self.maybe(self.text()),
                picture: self.maybe(self.text()),
                hostedDomain: self.maybe(self.text()),
                label: self.maybe(self.text())
            ),
            provider: Provider(
                name: self.text(),
                issuer: issuer,
                metadata: self.maybe(metadata),
                client: OAuthClient(
                    clientID: "c" + self.text(),
                    clientSecret: self.maybe(Secret(self.text())),
                    assertionKey: try self.maybe(try Self.key.get()),
                    assertionAudience: AssertionAudience.allCases[self.number(AssertionAudience.allCases.count)],
                    authentication: self.maybe(
                        ClientAuthentication.allCases[self.number(ClientAuthentication.allCases.count)]
                    ),
                    certificateBoundAccessTokens: self.number(2) == 0,
                    idTokenAlgorithms: self.maybe(self.list(self.number(2) == 0 ? .es256 : .rs256)),
                    securityProfile: self.maybe(.fapi2)
                ),
                issuerAliases: self.list(self.text()),
                scopeAliases: aliases,
                authorizationParameters: self.map(),
                incrementalParameters: self.map(),
                authorizedOrigins: self.list(origin),
                insecure: self.number(2) == 0 ? insecure : insecure.union(.bearerInsteadOfDPoP),
                dpop: DPoPPolicy.allCases[self.number(DPoPPolicy.allCases.count)],
                refreshTokenPolicy: self.maybe(RefreshTokenPolicy(name: self.text()))
            ),
            authorizedOrigins: self.list(origin),
            history: SessionHistory(
                consentedAt: self.date(),
                lastRefreshAt: self.maybe(self.date()),
                refreshCount: Int64(self.number(1_000)),
                refreshTokenExpiresAt: self.maybe(self.date()),
                refreshTokenReplacedAt: self.maybe(self.date()),
                clientType: self.maybe(self.text()),
                endedAt: self.maybe(self.date()),
                endReason: self.maybe(self.text()),
                signInCount: Int64(self.number(1_000)) + 1,
                clockSkew: self.maybe(Int64(self.number(1_000)) - 500),
                refusal: self.maybe(
                    OAuthError(
                        OAuthError.Code(rawValue: "e" + self.text()),
                        serverDescription: self.maybe(self.text()),
                        errorURI: self.maybe(self.text()),
                        status: self.maybe(self.number(1_000)),
                        subtype: self.maybe(self.text())
                    )
                )
            ),
            dpopKey: try self.number(8) == 0 ? .generate() : nil,
            requiredClaims: self.map(),
            redirectURI: self.maybe(self.text())
        )
    }
}
