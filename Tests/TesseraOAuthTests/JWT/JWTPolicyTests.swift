// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("JWT policy")
struct JWTPolicyTests {
    private static func outcome(
        _ changes: [String: String] = [:],
        type: String? = nil,
        key: Result<JWSSigningKey, any Error> = IDTokens.key,
        _ change: (inout JWTPolicy) -> Void = { _ in }
    ) throws -> String {
        var policy = JWTPolicy(
            name: "the token",
            algorithms: [.es256],
            issuer: try Issuer(Example.issuer),
            audiences: ["client"]
        )
        change(&policy)
        let token = try IDTokens.token(changes, type: type, key: key)
        let keys = try IDTokens.keys([IDTokens.published()])
        return TesseraOAuthTests.outcome { try policy.validate(token, keys: keys, now: IDTokens.now) }
    }

    @Test(
        "Accepts only the listed types, and a missing type unless one is required",
        .covers(88),
        arguments: [
            (nil, false, "accepted"), (nil, true, "jwt.type"), ("x+jwt", true, "accepted"), ("X+JWT", true, "accepted"),
            ("application/x+jwt", true, "accepted"), ("application/at+jwt", true, "jwt.type"),
            ("JWT", false, "jwt.type"),
            ("", false, "jwt.type"), ("x+jwt ", false, "jwt.type"),
        ] as [(String?, Bool, String)]
    )
    func type(type: String?, required: Bool, expected: String) throws {
        let outcome = try Self.outcome(type: type) {
            $0.types = ["x+jwt"]
            $0.requiresType = required
        }
        #expect(outcome == expected, "typ \(type ?? "none")")
    }

    @Test("Requires the issuer and one of the accepted audiences", .covers(89, 90))
    func parties() throws {
        #expect(try Self.outcome(["iss": ""]) == "jwt.claims")
        #expect(try Self.outcome(["iss": "\"https://as.example/\""]) == "jwt.issuer")
        #expect(try Self.outcome(["aud": ""]) == "jwt.claims")
        #expect(try Self.outcome(["aud": "\"other\""]) == "jwt.audience")
        #expect(try Self.outcome(["aud": "[\"other\",\"client\"]"]) == "accepted")
        #expect(try Self.outcome(["aud": "\"second\""]) { $0.audiences = ["first", "second"] } == "accepted")
        #expect(try Self.outcome { $0.audiences = [] } == "jwt.audience")
    }

    @Test("Checks times if present and requires them only if the policy does", .covers(91))
    func times() throws {
        for claim in ["exp", "iat", "sub", "nonce"] {
            #expect(try Self.outcome([claim: ""]) == "accepted")
            #expect(try Self.outcome([claim: ""]) { $0.requiredClaims = [claim] } == "jwt.claims")
            #expect(try Self.outcome([claim: "null"]) { $0.requiredClaims = [claim] } == "jwt.claims")
        }
        #expect(try Self.outcome(["exp": "1699999700"]) == "jwt.time")
        #expect(try Self.outcome(["exp": "1699999701"]) == "accepted")
        #expect(try Self.outcome(["iat": "1700000301"]) == "jwt.time")
        #expect(try Self.outcome(["iat": "1"]) == "accepted")
        #expect(try Self.outcome(["iat": "1699999600"]) { $0.issuedAtLimit = 99 } == "jwt.time")
        #expect(try Self.outcome(["nbf": "1700000301"]) == "jwt.time")
        #expect(try Self.outcome(["exp": "\"1700003600\""]) == "jwt.claims")
    }

    @Test("Rejects an algorithm that the policy does not list and a signature by another key", .covers(84, 85))
    func signature() throws {
        #expect(try Self.outcome { $0.algorithms = [.rs256] } == "jws.algorithm")
        #expect(try Self.outcome { $0.algorithms = [] } == "jws.algorithm")
        #expect(try Self.outcome(key: IDTokens.otherKey) == "jwt.signingKey")
    }
}
