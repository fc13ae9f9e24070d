// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("ID token signature")
struct IDTokenSignatureTests {
    /// The three parts of a valid token.
    private static func parts() throws -> [String] {
        try IDTokens.token().withUnredacted { $0.split(separator: ".").map(String.init) }
    }

    private static func signature(_ change: (inout [UInt8]) -> Void) throws -> Secret {
        var parts = try self.parts()
        var bytes = try #require(Base64URL.decode(parts[2]))
        change(&bytes)
        parts[2] = Base64URL.encode(bytes)
        return Secret(parts.joined(separator: "."))
    }

    @Test("Accepts a valid token, and defaults to RS256 if the provider lists no algorithm", .covers(84))
    func good() throws {
        #expect(try IDTokens.validate(IDTokens.token()).claims.subject == "subject")
        let keys = try IDTokens.keys([HostileTokens.rsa])
        #expect(
            outcome { try IDTokens.validate(HostileTokens.rs256, keys: keys) { $0.algorithms = [.rs256] } }
                == "accepted"
        )
        #expect(OAuthClient(clientID: "c").idTokenAlgorithms(supported: nil) == [.rs256])
    }

    @Test("A client without its own setting accepts the secure algorithms that the provider lists", .covers(140))
    func listedByProvider() throws {
        let client = OAuthClient(clientID: "client")
        #expect(client.idTokenAlgorithms(supported: ["none", "HS256", "ES256", "EdDSA"]) == [.es256, .edDSA])
        #expect(client.idTokenAlgorithms(supported: []) == [.rs256])
        #expect(client.idTokenAlgorithms(supported: ["none", "HS256", "ES256K"]).isEmpty)
        let keys: [(JWSAlgorithm, JWSSigningKey)] = [
            (.es256, try .generate(.es256)), (.edDSA, try .generate(.edDSA)),
            (.ps256, try JWSSigningKey(pem: try JWSSigningKey.generate(.rs256).pemRepresentation, algorithm: .ps256)),
        ]
        for (algorithm, key) in keys {
            let token = try IDTokens.token(key: .success(key))
            let published = try IDTokens.keys([key.publicJWK])
            for (listed, expected) in [
                ([algorithm.rawValue, "none"], "accepted"), (["RS256"], "jws.algorithm"), (nil, "jws.algorithm"),
            ] as [([String]?, String)] {
                let result = outcome {
                    try IDTokens.validate(token, keys: published) {
                        $0.algorithms = client.idTokenAlgorithms(supported: listed)
                    }
                }
                #expect(result == expected, "\(algorithm)")
            }
        }
    }

    @Test(
        "Sign-in fails before any request if client and provider share no algorithm",
        .covers(140),
        arguments: [
            ([.es256], "[\"RS256\",\"PS256\"]", "RS256, PS256", "ES256"),
            (nil, "[\"HS256\",\"none\"]", "HS256, none", "RS256, RS384"),
            (["HS256"], "", "an algorithm that it does not list", "HS256"),
            ([], "[\"RS256\"]", "RS256", "none"),
        ] as [([JWSAlgorithm]?, String, String, String)]
    )
    func noCommonAlgorithm(own: [JWSAlgorithm]?, listed: String, theirs: String, ours: String) throws {
        let name = "id_token_signing_alg_values_supported"
        let registered = RegisteredClient(
            OAuthClient(clientID: "client", idTokenAlgorithms: own),
            metadata: try Example.metadata([
                name: listed, "device_authorization_endpoint": "\"https://as.example/device\"",
                "backchannel_authentication_endpoint": "\"https://as.example/ciba\"",
            ]),
            runtime: .testing(transport: ScriptedTransport([]))
        )
        func begin(_ scopes: [Scope]) throws -> PendingAuthorization {
            try PendingAuthorization(
                AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: scopes),
                metadata: registered.metadata,
                client: registered.client,
                runtime: registered.runtime
            )
        }
        let error = #expect(throws: InvalidRequestError.self) { try begin([.openID]) }
        #expect(error?.name == "id_token_signed_response_alg")
        #expect(error?.description.contains("with \(theirs), but this client accepts \(ours)") == true)
        #expect(error?.recoverySuggestion?.isEmpty == false)
        #expect(throws: InvalidRequestError.self) {
            try DeviceAuthorizationRequest(scopes: [.openID]).message(for: registered)
        }
        #expect(throws: InvalidRequestError.self) {
            try BackchannelAuthenticationRequest(scopes: [.openID], hint: .loginHint("a")).message(for: registered)
        }
        // Without openid, no ID token is expected.
        #expect(outcome { try begin([.email]) } == "accepted")
        #expect(outcome { try DeviceAuthorizationRequest(scopes: [.email]).message(for: registered) } == "accepted")
    }

    @Test("The error for an unaccepted algorithm says when there is no common algorithm", .covers(140))
    func noAlgorithms() throws {
        let error = #expect(throws: ProtocolViolationError.self) {
            try IDTokens.validate(IDTokens.token()) { $0.algorithms = [] }
        }
        #expect(error?.expected.contains("none in common") == true)
    }

    @Test(
        "Rejects a token that is not three base64url parts",
        .covers(81, 96),
        arguments: [
            ("", "jws.format"), ("H", "jws.format"), ("H.P", "jws.format"), ("H.P.S.", "jws.format"),
            ("H.P.S.S", "jws.format"), ("H.P.S.S.S", "jwe.unsupported"), ("H..P.S.S", "jwe.unsupported"),
            ("H.P.S=", "jws.format"), ("H=.P.S", "jws.format"), ("H.P.+/", "jws.format"), ("H.P.S ", "jws.format"),
            ("H.P.S\n", "jws.format"), ("H.P.A", "jws.format"), ("H.P.AB", "jws.format"), (".P.S", "jws.format"),
            ("H.P.", "jws.signature"), ("H..S", "jws.signature"), ("H.P.\u{E9}", "jws.format"),
        ]
    )
    func shape(pattern: String, expected: String) throws {
        let parts = try Self.parts()
        let text = pattern.map { ["H": parts[0], "P": parts[1], "S": parts[2]][$0] ?? String($0) }.joined()
        #expect(outcome { try IDTokens.validate(Secret(text)) } == expected)
    }

    @Test("Rejects a token longer than 64 KiB before decoding it", .covers(81))
    func length() throws {
        let token = try IDTokens.token(["x": "\"" + String(repeating: "x", count: 1 << 16) + "\""])
        #expect(outcome { try IDTokens.validate(token) } == "jws.format")
    }

    @Test(
        "Rejects a header that is malformed or has an unsupported algorithm, type or extension",
        .covers(81, 82, 88),
        arguments: [
            ("[]", "jws.format"), ("{}", "jws.format"), ("x", "jws.format"), (#"{"alg":5}"#, "jws.format"),
            (#"{"alg":null}"#, "jws.format"), (#"{"alg":"ES256","alg":"ES256"}"#, "jws.format"),
            (#"{"alg":"none"}"#, "jws.algorithm"), (#"{"alg":"None"}"#, "jws.algorithm"),
            (#"{"alg":"NONE"}"#, "jws.algorithm"),
            (#"{"alg":""}"#, "jws.algorithm"), (#"{"alg":"es256"}"#, "jws.algorithm"),
            (#"{"alg":"HS256"}"#, "jws.algorithm"),
            (#"{"alg":"HS512"}"#, "jws.algorithm"), (#"{"alg":"RS256"}"#, "jws.algorithm"),
            (#"{"alg":"ES384"}"#, "jws.algorithm"), (#"{"alg":"ES256K"}"#, "jws.algorithm"),
            (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, "jws.critical"),
            (#"{"alg":"ES256","crit":[]}"#, "jws.critical"),
            (#"{"alg":"ES256","b64":false}"#, "jws.critical"), (#"{"alg":"ES256","b64":true}"#, "jws.critical"),
            (#"{"alg":"ES256","typ":"at+jwt"}"#, "jwt.type"),
            (#"{"alg":"ES256","typ":"logout+jwt"}"#, "jwt.type"),
            (#"{"alg":"ES256","typ":"dpop+jwt"}"#, "jwt.type"), (#"{"alg":"ES256","typ":""}"#, "jwt.type"),
            (#"{"alg":"ES256","typ":7}"#, "jws.format"), (#"{"alg":"ES256","kid":7}"#, "jws.format"),
            (#"{"alg":"ES256","typ":"jwt"}"#, "accepted"), (#"{"alg":"ES256","typ":"JWT"}"#, "accepted"),
        ]
    )
    func header(text: String, expected: String) throws {
        let token = Secret(try IDTokens.key.get().sign(payload: Array(IDTokens.claims().utf8), headerText: text))
        #expect(outcome { try IDTokens.validate(token) } == expected)
    }

    @Test(
        "Rejects none and HMAC even if the client and the provider list them",
        .covers(82, 83),
        arguments: ["none", "HS256"]
    )
    func listedNone(name: String) throws {
        let parts = try Self.parts()
        for signature in ["", parts[2]] {
            let token = Secret(base64URL(#"{"alg":"\#(name)"}"#) + "." + parts[1] + "." + signature)
            let algorithms = [JWSAlgorithm(rawValue: name), .es256]
            #expect(outcome { try IDTokens.validate(token) { $0.algorithms = algorithms } } == "jws.algorithm")
        }
    }

    @Test(
        "Rejects HS256 with the RSA public key as its secret",
        .covers(83),
        arguments: [[.rs256], ["HS256", .rs256]] as [[JWSAlgorithm]]
    )
    func keyConfusion(algorithms: [JWSAlgorithm]) throws {
        let keys = try IDTokens.keys([HostileTokens.rsa])
        let result = outcome {
            try IDTokens.validate(HostileTokens.hs256, keys: keys) { $0.algorithms = algorithms }
        }
        #expect(result == "jws.algorithm")
    }

    @Test("Accepts only algorithms that both client and provider list", .covers(84))
    func intersection() throws {
        let client = OAuthClient(clientID: "client", idTokenAlgorithms: [.es256, .rs256])
        #expect(client.idTokenAlgorithms(supported: nil) == [.es256, .rs256])
        #expect(client.idTokenAlgorithms(supported: ["RS256", "none"]) == [.rs256])
        #expect(client.idTokenAlgorithms(supported: []) == [.es256, .rs256])
        #expect(client.idTokenAlgorithms(supported: ["PS256"]) == [])
        let unsafe = OAuthClient(clientID: "c", idTokenAlgorithms: ["none", "HS256"])
        #expect(unsafe.idTokenAlgorithms(supported: nil) == [])
        #expect(unsafe.idTokenAlgorithms(supported: ["HS256"]) == [])
        let result = outcome {
            try IDTokens.validate(IDTokens.token()) { $0.algorithms = client.idTokenAlgorithms(supported: ["RS256"]) }
        }
        #expect(result == "jws.algorithm")
    }

    @Test("Rejects an altered signature, one of another length and one of zeros", .covers(85))
    func signatures() throws {
        let changes: [(inout [UInt8]) -> Void] = [
            { $0[0] ^= 1 }, { $0[63] ^= 1 }, { $0.removeLast() }, { $0.append(0) }, { $0 = [] },
            { $0.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32)) },
            { $0.replaceSubrange(32..<64, with: [UInt8](repeating: 0, count: 32)) },
            { $0 = [UInt8](repeating: 0, count: 64) }, { $0 = [UInt8](repeating: 0xFF, count: 64) },
            { $0 = Self.der($0) },
            { $0 = [UInt8](repeating: 0, count: 32) + $0[..<32] + [UInt8](repeating: 0, count: 32) + $0[32...] },
        ]
        for change in changes {
            #expect(outcome { try IDTokens.validate(Self.signature(change)) } == "jws.signature")
        }
        #expect(outcome { try IDTokens.validate(Self.signature { _ in }) } == "accepted")
    }

    /// Returns a raw signature in DER form.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let numbers = [raw[..<32], raw[32...]]
            .flatMap { part -> [UInt8] in
                var number = Array(part.drop { $0 == 0 })
                if number.first ?? 0x80 >= 0x80 { number.insert(0, at: 0) }
                return [0x02, UInt8(number.count)] + number
            }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test("Rejects altered claims with the original signature", .covers(85))
    func alteredClaims() throws {
        var parts = try Self.parts()
        parts[1] = base64URL(IDTokens.claims(["sub": "\"admin\""]))
        #expect(outcome { try IDTokens.validate(Secret(parts.joined(separator: "."))) } == "jws.signature")
    }

    @Test("Rejects a token signed by another key under the provider's key ID", .covers(85))
    func otherKey() throws {
        let header = [JSONMember(name: "kid", value: .string(try IDTokens.key.get().keyID ?? ""))]
        #expect(
            outcome { try IDTokens.validate(IDTokens.token(header: header, key: IDTokens.otherKey)) } == "jws.signature"
        )
    }

    @Test("Rejects a mathematically valid signature by a 1,024-bit RSA key", .covers(85))
    func smallKey() throws {
        let keys = try IDTokens.keys([HostileTokens.smallRSA])
        #expect(keys.keys.isEmpty)
        #expect(keys.ignoredCount == 1)
        #expect(
            outcome { try IDTokens.validate(HostileTokens.smallRS256, keys: keys) { $0.algorithms = [.rs256] } }
                == "jwt.signingKey"
        )
    }

    private static let zero = JSONNode.string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
    private static let one = JSONNode.string(Base64URL.encode([UInt8](repeating: 0, count: 31) + [1]))

    @Test(
        "Ignores a key that is not a point on its curve",
        .covers(85),
        arguments: [["x": Self.zero, "y": Self.zero], ["y": Self.one], ["x": Self.one], ["x": "AA"], ["crv": "P-384"]]
    )
    func offCurve(changes: [String: JSONNode]) throws {
        let keys = try IDTokens.keys([IDTokens.published(changes)])
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: keys) } == "jwt.signingKey")
    }

    @Test(
        "Ignores keys and URLs in the header",
        .covers(88),
        arguments: ["jwk", "jku", "x5u", "x5c"]
    )
    func keysInHeader(name: String) throws {
        let own = try IDTokens.otherKey.get()
        let value: JSONNode = name == "jwk" ? own.publicJWK : "https://evil.example/keys"
        let header = [JSONMember(name: name, value: value)]
        let forged = try IDTokens.token(header: header, key: IDTokens.otherKey)
        #expect(outcome { try IDTokens.validate(forged) } == "jwt.signingKey")
        #expect(outcome { try IDTokens.validate(IDTokens.token(header: header)) } == "accepted")
    }

    @Test("Escapes and truncates a hostile key ID in the error")
    func hostileKeyID() throws {
        let keyID = "\u{1B}[2J" + String(repeating: "k", count: 10_000)
        let token = try IDTokens.token(header: [JSONMember(name: "kid", value: .string(keyID))])
        let error = #expect(throws: (any Error).self) { try IDTokens.validate(token) }
        let message = "\(error, default: "")"
        #expect(message.contains("\\u{1b}[2J"))
        #expect(!message.contains("\u{1B}"))
        #expect(message.count < 500)
    }
}
