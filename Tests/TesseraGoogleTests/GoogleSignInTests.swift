// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Signing in with Google")
struct GoogleSignInTests {
    @Test(
        "Accepts only Google's two spellings of its issuer",
        .covers(89),
        arguments: [
            ("https://accounts.google.com", "accepted"), ("accounts.google.com", "accepted"),
            ("http://accounts.google.com", "jwt.issuer"), ("https://accounts.google.com/", "jwt.issuer"),
            ("accounts.google.com/", "jwt.issuer"), ("Accounts.google.com", "jwt.issuer"),
            ("https://evil.example", "jwt.issuer"),
        ]
    )
    func issuer(issuer: String, expected: String) async {
        #expect(await eventualOutcome { try await Consent(claims: ["iss": "\"\(issuer)\""]).signIn() } == expected)
    }

    @Test("Rejects an issuer without a scheme for any other provider", .covers(89))
    func aliasOfOther() async throws {
        let google = try Provider.google(client: OAuthClient(clientID: "client", clientSecret: Secret("secret")))
        var other = Provider(issuer: google.issuer, client: google.client)
        other.metadata = google.metadata
        let result = await eventualOutcome {
            try await Consent(claims: ["iss": "\"accounts.google.com\""]).signIn(other)
        }
        #expect(result == "jwt.issuer")
    }

    @Test(
        "Compares a required domain with the hd claim of the ID token",
        arguments: [
            ("\"example.com\"", "accepted"), ("\"evil.example\"", "SignInError domainMismatch"),
            ("", "SignInError domainMismatch"),
            ("\"EXAMPLE.com\"", "SignInError domainMismatch"),
            ("\"example.com.evil.example\"", "SignInError domainMismatch"),
            ("\"\"", "SignInError domainMismatch"), ("null", "SignInError domainMismatch"),
            ("[\"example.com\"]", "jwt.claims"),
            ("true", "jwt.claims"),
        ]
    )
    func hostedDomain(claim: String, expected: String) async {
        let consent = Consent(claims: ["hd": claim])
        let result = await eventualOutcome { try await consent.signIn { $0.requireHostedDomain("example.com") } }
        #expect(result == expected)
        #expect(consent.requestParameter("hd") == ["example.com"])
    }

    @Test("Rejects a signature algorithm that the provider's metadata omits", .covers(84))
    func algorithms() async throws {
        var provider = try Provider.google(
            client: OAuthClient(clientID: "client", clientSecret: Secret("s"), idTokenAlgorithms: [.rs256, .es256])
        )
        #expect(await eventualOutcome { try await Consent().signIn(provider) } == "accepted")
        provider.metadata = try ServerMetadata([
            ("issuer", "https://accounts.google.com"),
            ("authorization_endpoint", "https://accounts.google.com/o/oauth2/v2/auth"),
            ("token_endpoint", "https://oauth2.googleapis.com/token"),
            ("jwks_uri", "https://www.googleapis.com/oauth2/v3/certs"),
            ("id_token_signing_alg_values_supported", ["ES256"]),
        ])
        #expect(await eventualOutcome { try await Consent().signIn(provider) } == "jws.algorithm")
    }

    @Test("Requests offline access, and no earlier grants at the first sign-in")
    func parameters() async throws {
        let consent = Consent()
        let session = try await consent.signIn()
        #expect(consent.requestParameter("access_type") == ["offline"])
        #expect(consent.requestParameter("include_granted_scopes") == [])
        #expect(consent.requestParameter("hd") == [])
        #expect(consent.requestParameter("scope") == ["openid email"])
        #expect(session.account.issuer == "https://accounts.google.com")
        #expect(session.account.subject == "subject")
    }

    @Test("Treats Google's alias of a granted scope as the requested scope", .covers(76))
    func scopeAlias() async throws {
        let session = try await Consent(scope: "https://www.googleapis.com/auth/userinfo.email openid").signIn()
        #expect(session.grantedScopes.missing == [])
        #expect(session.grantedScopes.contains(.email))
        let partial = try await Consent(scope: "openid").signIn()
        #expect(partial.grantedScopes.missing == [.email])
    }
}
