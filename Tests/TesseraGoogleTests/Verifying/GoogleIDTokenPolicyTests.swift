// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Google ID token policy")
struct GoogleIDTokenPolicyTests {
    private let keys: GoogleKeys

    init() throws { self.keys = try GoogleKeys() }

    private func result(_ kind: IssuedToken, _ changes: [String: String]) async throws -> String {
        await self.keys.outcome(try kind.token(changes), try kind.policy())
    }

    @Test(
        "Accepts each kind of token with its own policy only",
        .covers(177),
        .shows(claims: 51),
        arguments: IssuedToken.all
    )
    func kinds(kind: IssuedToken) async throws {
        for other in IssuedToken.all {
            let outcome = await self.keys.outcome(try kind.token(), try other.policy())
            #expect((outcome == "accepted") == (kind.testDescription == other.testDescription))
        }
    }

    @Test("Returns the claims of a token")
    func claims() async throws {
        let token = try await self.keys.verifier(IssuedToken.google.policy()).verify(IssuedToken.google.token())
        #expect(token.subject == "1234")
        #expect(token.email == "ada@example.com")
        #expect(token.emailVerified == true)
        #expect(token.hostedDomain == "example.com")
        #expect(token.issuer == "https://accounts.google.com")
        #expect(token.audience == ["web.apps.googleusercontent.com"])
        #expect(token.expiresAt == 1_700_003_600)
        #expect(token.claims.authorizedParty == "android.apps.googleusercontent.com")
        let firebase = try await self.keys.verifier(IssuedToken.firebase.policy()).verify(IssuedToken.firebase.token())
        #expect(firebase.claims.document["firebase"]?["sign_in_provider"]?.string == "password")
        #expect(firebase.emailVerified == nil)
    }

    @Test(
        "Rejects a token with a wrong or missing claim",
        .covers(89),
        .shows(claims: 51),
        arguments: IssuedToken.all,
        [
            (["aud": #""https://other.example""#], "jwt.audience"), (["aud": #"["a","b"]"#], "jwt.audience"),
            (["aud": ""], "jwt.claims"), (["aud": "[]"], "jwt.claims"),
            (["iss": #""https://evil.example""#], "jwt.issuer"),
            (["iss": #""http://accounts.google.com""#], "jwt.issuer"),
            (["iss": #""https://accounts.google.com/""#], "jwt.issuer"), (["iss": ""], "jwt.claims"),
            (["exp": "1699999700"], "jwt.time"), (["exp": ""], "jwt.claims"), (["exp": #""1700003600""#], "jwt.claims"),
            (["iat": "1700000301"], "jwt.time"), (["iat": "1699913000"], "jwt.time"), (["iat": ""], "jwt.claims"),
            (["nbf": "1700000301"], "jwt.time"),
            (["sub": ""], "jwt.claims"), (["sub": #""""#], "jwt.claims"), (["sub": "5"], "jwt.claims"),
            (["email": "5"], "jwt.claims"),
        ] as [([String: String], String)]
    )
    func wrongClaims(kind: IssuedToken, change: ([String: String], String)) async throws {
        #expect(try await self.result(kind, change.0) == change.1)
    }

    @Test("Tolerates a clock difference of five minutes", arguments: IssuedToken.all)
    func clockDifference(kind: IssuedToken) async throws {
        #expect(try await self.result(kind, ["exp": "1699999701"]) == "accepted")
        #expect(try await self.result(kind, ["iat": "1700000300"]) == "accepted")
        var policy = try kind.policy()
        policy.clockTolerance = 0
        #expect(await self.keys.outcome(try kind.token(["exp": "1700000000"]), policy) == "jwt.time")
    }

    @Test("Accepts Google's issuer without a scheme only in tokens of Google accounts and service accounts")
    func alias() async throws {
        let change = ["iss": #""accounts.google.com""#]
        #expect(try await self.result(.google, change) == "accepted")
        #expect(try await self.result(.push, change) == "accepted")
        #expect(try await self.result(.proxy, change) == "jwt.issuer")
        #expect(try await self.result(.firebase, change) == "jwt.issuer")
    }

    @Test(
        "Rejects every signature but the one of the expected algorithm and key",
        .covers(85),
        arguments: IssuedToken.all
    )
    func signatures(kind: IssuedToken) async throws {
        let policy = try kind.policy()
        let key = try kind.key.get()
        let keyID = try #require(key.keyID)
        let payload = Base64URL.encode(kind.payload())
        let none = Base64URL.encode("{\"alg\":\"none\",\"kid\":\"\(keyID)\"}".utf8) + "." + payload + "."
        #expect(await self.keys.outcome(Secret(none), policy) == "jws.algorithm")
        // The attack of signing with the published key as if it were a shared secret.
        var shared = JWSMACKey(secret: key.publicJWK.serialized())
        shared.keyID = keyID
        #expect(await self.keys.outcome(Secret(shared.sign(payload: kind.payload())), policy) == "jws.algorithm")
        let algorithms: [JWSAlgorithm] = [.rs256, .rs512, .ps256, .es256, .es384, .edDSA]
        for algorithm in algorithms where algorithm != key.algorithm {
            let token = try kind.token(key: IssuedToken.key(algorithm, keyID))
            #expect(await self.keys.outcome(token, policy) == "jws.algorithm", "\(algorithm)")
        }
        let forged = try kind.token(key: IssuedToken.key(key.algorithm, keyID))
        #expect(await self.keys.outcome(forged, policy) == "jws.signature")
        let unknown = try kind.token(header: [JSONMember(name: "kid", value: "unknown")])
        #expect(await self.keys.outcome(unknown, policy) == "jwt.signingKey")
        // Cloud Run replaces the signature of a token that it has verified itself.
        let removed = try kind.token()
            .withUnredacted { text in
                text.split(separator: ".").prefix(2).joined(separator: ".") + ".SIGNATURE_REMOVED_BY_GOOGLE"
            }
        #expect(await self.keys.outcome(Secret(removed), policy) == "jws.signature")
        let accessToken = try kind.token(type: "at+jwt")
        #expect(await self.keys.outcome(accessToken, policy) == "jwt.type")
    }

    @Test(
        "Rejects text that is not a token, without a request for keys",
        arguments: ["", ".", "..", "a.b.c", "Bearer x", "ya29.a0Af", "...."]
    )
    func malformed(text: String) async throws {
        let transport = self.keys.transport()
        let verifier = self.keys.verifier(try IssuedToken.google.policy(), transport)
        #expect(await eventualOutcome { try await verifier.verify(Secret(text)) } == "jws.format")
        #expect(transport.requests.isEmpty)
    }

    @Test("Rejects a token that is longer than 64 KiB, without a request for keys")
    func length() async throws {
        let transport = self.keys.transport()
        let verifier = self.keys.verifier(try IssuedToken.google.policy(), transport)
        let token = try IssuedToken.google.token(["x": "\"\(String(repeating: "x", count: 1 << 16))\""])
        #expect(await eventualOutcome { try await verifier.verify(token) } == "jws.format")
        #expect(transport.requests.isEmpty)
    }

    @Test("Requires one of the authorized parties if the policy has any")
    func authorizedParties() async throws {
        let audiences = ["web.apps.googleusercontent.com"]
        func policy(_ parties: [String]) throws -> GoogleIDTokenPolicy {
            try .google(audiences: audiences, authorizedParties: parties)
        }
        let android = "android.apps.googleusercontent.com"
        let token = try IssuedToken.google.token()
        #expect(await self.keys.outcome(token, try policy(["other", android])) == "accepted")
        #expect(await self.keys.outcome(token, try policy(["other"])) == "idToken.authorizedParty")
        let anonymous = try IssuedToken.google.token(["azp": ""])
        #expect(await self.keys.outcome(anonymous, try policy([android])) == "idToken.authorizedParty")
        #expect(await self.keys.outcome(anonymous, try policy([])) == "accepted")
    }

    @Test("Requires the hosted domain if the policy has one")
    func hostedDomain() async throws {
        let google = try GoogleIDTokenPolicy.google(
            audiences: ["web.apps.googleusercontent.com"],
            hostedDomain: "example.com"
        )
        let proxy = try GoogleIDTokenPolicy.identityAwareProxy(
            audience: "/projects/1/apps/project",
            hostedDomain: "example.com"
        )
        for (kind, policy) in [(IssuedToken.google, google), (.proxy, proxy)] {
            #expect(await self.keys.outcome(try kind.token(), policy) == "accepted")
            for domain in ["", #""other.example""#, #""example.com.evil.example""#, #""EXAMPLE.com""#] {
                let token = try kind.token(["hd": domain])
                #expect(await self.keys.outcome(token, policy) == "googleIDToken.hostedDomain")
            }
        }
    }

    @Test(
        "Requires the verified address of the service account in a push request",
        arguments: [
            (["email": ""], "googleIDToken.email"), (["email": #""ada@example.com""#], "googleIDToken.email"),
            (["email": #""ROBOT@project.iam.gserviceaccount.com""#], "googleIDToken.email"),
            (["email_verified": ""], "googleIDToken.email"),
            (["email_verified": "false"], "googleIDToken.email"), (["email_verified": "1"], "googleIDToken.email"),
            (["email_verified": "null"], "googleIDToken.email"), ([:], "accepted"),
        ] as [([String: String], String)]
    )
    func serviceAccount(change: [String: String], expected: String) async throws {
        #expect(try await self.result(.push, change) == expected)
    }

    @Test(
        "Requires the project and a time of sign-in from Firebase",
        arguments: [
            (["iss": #""https://securetoken.google.com/other""#], "jwt.issuer"),
            (["aud": #""other""#], "jwt.audience"),
            (["iss": #""https://securetoken.google.com/other""#, "aud": #""other""#], "jwt.issuer"),
            (["iss": #""https://session.firebase.google.com/my-project""#], "jwt.issuer"),
            (["auth_time": ""], "idToken.authenticationTime"),
            (["auth_time": "1700000301"], "idToken.authenticationTime"),
            (["auth_time": #""1699999000""#], "jwt.claims"), (["auth_time": "1700000300"], "accepted"),
            // A refresh issues a token long after the sign-in.
            (["auth_time": "1600000000"], "accepted"),
        ] as [([String: String], String)]
    )
    func firebase(change: [String: String], expected: String) async throws {
        #expect(try await self.result(.firebase, change) == expected)
    }

    @Test("Rejects a policy without an audience, a service account or a valid project")
    func invalidPolicies() {
        #expect(outcome { try GoogleIDTokenPolicy.google(audiences: []) } == "InvalidRequestError audience")
        #expect(outcome { try GoogleIDTokenPolicy.google(audiences: ["a", ""]) } == "InvalidRequestError audience")
        #expect(
            outcome { try GoogleIDTokenPolicy.identityAwareProxy(audience: "") } == "InvalidRequestError audience"
        )
        #expect(
            outcome { try GoogleIDTokenPolicy.pushRequest(audience: "", serviceAccount: "a") }
                == "InvalidRequestError audience"
        )
        #expect(
            outcome { try GoogleIDTokenPolicy.pushRequest(audience: "a", serviceAccount: "") }
                == "InvalidRequestError service account"
        )
        for projectID in ["", "a/b", "a?b", "a#b", "a b", "a@b", "ä"] {
            #expect(
                outcome { try GoogleIDTokenPolicy.firebase(projectID: projectID) } == "InvalidRequestError project ID"
            )
        }
        #expect(outcome { try GoogleIDTokenPolicy.firebase(projectID: "example.com:old") } == "accepted")
    }
}
