// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Mix-up and code injection")
struct MixUpTests {
    private struct Provider {
        let pending: PendingAuthorization
        let issuer: String
        let redirectURI: String

        init(_ host: String, runtime: OAuthRuntime, redirectURI: String, announcesIssuer: Bool = false) throws {
            self.issuer = "https://\(host)"
            self.redirectURI = redirectURI
            let metadata = try Example.metadata([
                "issuer": "\"https://\(host)\"", "authorization_endpoint": "\"https://\(host)/authorize\"",
                "token_endpoint": "\"https://\(host)/token\"",
                "authorization_response_iss_parameter_supported": "\(announcesIssuer)",
            ])
            self.pending = try Example.pending(metadata, redirectURI: redirectURI, runtime: runtime)
        }

        var state: String { self.pending.sent("state").first ?? "" }
    }

    @Test("With two pending requests, accepts no response meant for the other provider", .covers(35))
    func states() throws {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let a = try Provider("a.example", runtime: runtime, redirectURI: "http://127.0.0.1:5001/a")
        let b = try Provider("b.example", runtime: runtime, redirectURI: "http://127.0.0.1:5002/b")
        for (mine, other) in [(a, b), (b, a)] {
            for redirect in [
                "\(mine.redirectURI)?code=c&state=\(other.state)", "\(other.redirectURI)?code=c&state=\(mine.state)",
                "\(other.redirectURI)?code=c&state=\(other.state)",
            ] {
                #expect(!mine.pending.matches(.redirect(redirect)), "A response matched the wrong provider.")
            }
        }
        let redirect = "\(a.redirectURI)?code=c&state=\(a.state)"
        let response = try #require(try a.pending.received(.redirect(redirect)))
        let message = try TokenRequest.authorizationCode(response).message(client: Example.client)
        #expect(message.request.authority == "a.example")
        #expect(message.form("redirect_uri") == ["http://127.0.0.1:5001/a"])
    }

    @Test(
        "Rejects a response with a valid state and another provider's iss",
        .covers(35, 31),
        arguments: [true, false]
    )
    func otherIssuer(announces: Bool) throws {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let a = try Provider(
            "a.example",
            runtime: runtime,
            redirectURI: Example.redirectURI,
            announcesIssuer: announces
        )
        #expect(a.pending.result(of: "code=c&state=STATE&iss=https%3A%2F%2Fb.example") == "redirect.issuer")
        #expect(a.pending.result(of: "code=c&state=STATE&iss=https%3A%2F%2Fa.example") == "redirect.reuse")
    }

    @Test("Sends the victim's own verifier with an injected code and reports the rejection", .covers(99))
    func injectedCode() throws {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let attacker = try Example.pending(runtime: runtime)
        let victim = try Example.pending(runtime: runtime)
        let stolen = try #require(try attacker.code("stolen"))
        let injected = try #require(try victim.code("stolen"))
        let verifiers = try [stolen, injected]
            .flatMap { try TokenRequest.authorizationCode($0).message(client: Example.client).form("code_verifier") }
        #expect(Set(verifiers).count == 2)
        let body = #"{"error":"invalid_grant","error_description":"code_verifier does not match"}"#
        let error = #expect(throws: OAuthError.self) {
            try TokenRequest.authorizationCode(injected).decode(Example.json(.badRequest), body: Array(body.utf8))
        }
        #expect(error?.code == .invalidGrant)
        #expect(error?.serverDescription == "code_verifier does not match")
    }

    @Test("Rejects the ID token of an injected code because of its nonce", .covers(99))
    func injectedNonce() throws {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let attacker = try Example.pending(runtime: runtime)
        let victim = try Example.pending(runtime: runtime)
        let response = try #require(try victim.code("stolen"))
        func result(_ nonce: String?) -> String {
            outcome {
                try IDTokens.validate(IDTokens.token(["nonce": "\"\(nonce ?? "")\""])) { $0.nonce = response.nonceRule }
            }
        }
        #expect(result(attacker.sent("nonce").first) == "idToken.nonce")
        #expect(result(victim.sent("nonce").first) == "accepted")
    }
}
