// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Service account credentials")
struct ServiceAccountTests {
    @Test("Exchanges an assertion with the scopes for an access token", .covers(87))
    func assertion() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        #expect(try await credentials.accessToken().text == "token-1")
        #expect(credentials.kind == .serviceAccount)
        let request = try #require(google.requests.first)
        #expect(google.urls == ["https://oauth2.googleapis.com/token"])
        #expect(request.formValue("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(Set(request.form.map(\.name)) == ["grant_type", "assertion"])
        let claims = try request.claims(of: "assertion")
        #expect(claims["iss"]?.string == ScriptedGoogle.email)
        #expect(claims["aud"]?.string == "https://oauth2.googleapis.com/token")
        #expect(claims["scope"]?.string == "scope-a scope-b")
        #expect(claims["sub"] == nil)
        let issuedAt = Int64(google.clock.date.timeIntervalSince1970)
        #expect(try claims["iat"]?.integer(Int64.self) == issuedAt)
        #expect(try claims["exp"]?.integer(Int64.self) == issuedAt + 3_600)
        let fields = try JSONValue(jwt: request.formValue("assertion") ?? "", part: 0)
        #expect(fields["kid"]?.string == "key-1")
        #expect(fields["alg"]?.string == "RS256")
    }

    @Test("Acts as a user of the organization with a subject")
    func subject() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write(try ScriptedGoogle.serviceAccount())
        let credentials = try GoogleCredentials.serviceAccount(
            keyFile: path,
            scopes: ["scope-a"],
            subject: "ada@example.com",
            options: google.options(),
            runtime: google.runtime
        )
        _ = try await credentials.accessToken()
        #expect(try google.requests[0].claims(of: "assertion")["sub"]?.string == "ada@example.com")
    }

    @Test("Uses a self-signed token without a request if the caller chooses it")
    func selfSigned() async throws {
        let google = try ScriptedGoogle()
        var options = google.options()
        options.serviceAccountTokens = .selfSigned
        let credentials = try google.load(try ScriptedGoogle.serviceAccount(), options: options)
        let token = try await credentials.accessToken().text
        let claims = try JSONValue(jwt: token)
        #expect(claims["scope"]?.string == "scope-a scope-b")
        #expect(claims["sub"]?.string == ScriptedGoogle.email)
        #expect(claims["aud"] == nil)
        options.serviceAccountTokens = .selfSigned(audience: "https://api.googleapis.com/")
        let other = try await google.load(try ScriptedGoogle.serviceAccount(), options: options).accessToken().text
        let otherClaims = try JSONValue(jwt: other)
        #expect(otherClaims["aud"]?.string == "https://api.googleapis.com/")
        #expect(otherClaims["scope"] == nil)
        #expect(google.requests.isEmpty)
    }

    @Test("Uses self-signed tokens and IAM in another universe that the caller names", .shows(claims: 49))
    func otherUniverse() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://iamcredentials.example-universe.goog/") { _ in
            .json(#"{"token":"\#(try google.idToken())"}"#)
        }
        let file = try ScriptedGoogle.serviceAccount([
            "universe_domain": "example-universe.goog", "token_uri": "https://oauth2.example-universe.goog/token",
        ])
        #expect { try google.load(file) } throws: { GoogleCredentialsError.Code.universeMismatch ~= $0 }
        let options = google.options(["GOOGLE_CLOUD_UNIVERSE_DOMAIN": "example-universe.goog"])
        let credentials = try google.load(file, options: options)
        _ = try await credentials.accessToken()
        #expect(google.requests.isEmpty)
        #expect(credentials.authorizedOrigins == [try OriginPattern("https://*.example-universe.goog")])
        _ = try await credentials.idToken(audience: "https://service.example")
        let request = try #require(google.requests.first)
        #expect(request.json?["useEmailAzp"]?.string == "true")
        #expect(request.authorization?.hasPrefix("Bearer eyJ") == true)
        var delegated = options
        delegated.subject = "ada@example.com"
        let impossible = try google.load(file, options: delegated)
        await #expect { try await impossible.accessToken() } throws: {
            GoogleCredentialsError.Code.unsupportedOperation ~= $0
        }
    }

    @Test("Compares the expiration of an ID token with the server's clock", arguments: [-3_000.0, 3_000, 1e12])
    func idTokenClock(_ skew: Double) async throws {
        let google = try ScriptedGoogle()
        let server = google.clock.date.addingTimeInterval(min(skew, 3_000))
        google.answer("https://oauth2.googleapis.com/token") { _ in
            // The time of expiration may be any number.
            let lifetime = 3_600 + skew
            var response = ScriptedResponse.json(#"{"id_token":"\#(try google.idToken(lifetime: lifetime))"}"#)
            response.head.headerFields[.date] = HTTPDate.text(secondsSince1970: server.timeIntervalSince1970)
            return response
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        _ = try await credentials.idToken(audience: "https://a.example")
        google.clock.advance(by: .seconds(3_500))
        _ = try await credentials.idToken(audience: "https://a.example")
        #expect(google.requests.count == 1)
    }

    @Test("Caches ID tokens by audience and requests new ones when they expire")
    func idTokens() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://oauth2.googleapis.com/token") { _ in .json(#"{"id_token":"\#(try google.idToken())"}"#) }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let first = try await credentials.idToken(audience: "https://a.example")
        #expect(try await credentials.idToken(audience: "https://a.example") == first)
        _ = try await credentials.idToken(audience: "https://b.example")
        #expect(google.requests.count == 2)
        #expect(try google.requests[0].claims(of: "assertion")["target_audience"]?.string == "https://a.example")
        #expect(try google.requests[0].claims(of: "assertion")["scope"] == nil)
        google.clock.advance(by: .seconds(3_600))
        let second = try await credentials.idToken(audience: "https://a.example")
        #expect(second.expiresAt == first.expiresAt.addingTimeInterval(3_600))
        await #expect { try await credentials.idToken(audience: "") } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
    }

    @Test("Sends ID tokens only to the audience, and replaces rejected ones")
    func idTokenSource() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://oauth2.googleapis.com/token") { _ in
            google.clock.advance(by: .seconds(1))
            return .json(#"{"id_token":"\#(try google.idToken())"}"#)
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let source = try credentials.idTokens(for: "https://a.example")
        #expect(source.authorizedOrigins == [try OriginPattern("https://a.example")])
        let first = try await source.accessToken()
        #expect(try await credentials.idToken(audience: "https://a.example").secret == first.secret)
        let second = try await source.replacement(forRejected: first)
        #expect(second != first)
        #expect(try await source.accessToken() == second)
        // A new token is not replaced again.
        #expect(try await source.replacement(forRejected: second) == second)
        #expect(google.requests.count == 2)
        #expect(throws: InvalidRequestError.self) { try credentials.idTokens(for: "an audience") }
        let origins = source.authorizedOrigins
        #expect(throws: GoogleCredentialsError.self) { try credentials.idTokens(for: "", sentTo: origins) }
        #expect(!"\(source) \(String(reflecting: source))".contains("eyJ"))
    }

    @Test("Signs bytes and claims locally with the key")
    func signing() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let signature = try await credentials.sign(Array("text".utf8))
        #expect(signature.keyID == "key-1")
        #expect(signature.bytes == (try ScriptedGoogle.key.get().signature(over: Array("text".utf8))))
        let token = try await credentials.signJWT([JSONMember(name: "sub", value: "ada")])
        let claims = try token.withUnredacted { try JSONValue(jwt: $0) }
        #expect(claims["sub"]?.string == "ada")
        #expect(try await credentials.email() == ScriptedGoogle.email)
        #expect(try await credentials.project() == "project")
        #expect(google.requests.isEmpty)
    }

    @Test(
        "Names the file and the member that is wrong",
        .covers(171),
        arguments: [
            ("client_email", "client_email is missing"), ("token_uri", "token_uri is missing"),
            ("private_key", "private_key is missing"), ("type", "type is missing"),
        ]
    )
    func missing(_ member: String, _ reason: String) throws {
        let google = try ScriptedGoogle()
        let path = try google.write(try ScriptedGoogle.serviceAccount([member: .some(nil)]))
        #expect {
            try GoogleCredentials.serviceAccount(
                keyFile: path,
                scopes: [],
                options: google.options(),
                runtime: google.runtime
            )
        } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .invalidFile && error?.location == path && error?.reason == reason
        }
    }

    @Test("Rejects a key that is not an RSA key, without repeating it")
    func wrongKey() throws {
        let google = try ScriptedGoogle()
        let pem = try JWSSigningKey.generate(.es256).pemRepresentation
        let file = try ScriptedGoogle.serviceAccount(["private_key": .string(pem)])
        #expect { try google.load(file) } throws: { error in
            GoogleCredentialsError.Code.invalidFile ~= error && !"\(error)".contains("BEGIN")
        }
    }
}
