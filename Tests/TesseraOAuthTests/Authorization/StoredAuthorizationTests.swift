// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Stored pending authorization")
struct StoredAuthorizationTests {
    private static func readBack(
        _ attempt: PendingAuthorization,
        clock: TestClock = TestClock(),
        client: OAuthClient = Example.client
    ) throws -> PendingAuthorization {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        return try PendingAuthorization(
            decoding: attempt.encoded(),
            by: try Example.registered(client, runtime: runtime)
        )
    }

    @Test("A decoded authorization accepts its redirect once and uses its own verifier")
    func readBack() throws {
        let attempt = try Example.pending(scopes: [.openID, .email]) {
            $0.maxAge = 60
            $0.resources = ["https://api.example"]
            $0.claims.idToken["acr"] = ClaimsRequest.Claim(isEssential: true, values: ["gold"])
            $0.claims.idToken["auth_time"] = .essential
        }
        let other = try Self.readBack(attempt)
        #expect(other.authorizationURL == attempt.authorizationURL)
        #expect(other.issuer == attempt.issuer)
        #expect(other.result(of: "state=other&code=c") == "mismatch: redirect.state")
        let response = try #require(try other.code())
        #expect(other.result(of: "state=STATE&code=c").contains("redirect.reuse"))
        let original = try #require(try attempt.code())
        for name in ["code_verifier", "redirect_uri", "code", "resource"] {
            let form = try TokenRequest.authorizationCode(response).message(client: Example.client).form(name)
            #expect(form == (try TokenRequest.authorizationCode(original).message(client: Example.client).form(name)))
            #expect(!form.isEmpty)
        }
        #expect(response.request.scopes == [.openID, .email])
        #expect(response.request.maxAge == 60)
        var (policy, expected) = (try IDTokens.policy(), try IDTokens.policy())
        policy.bind(to: response)
        expected.bind(to: original)
        #expect(policy.maxAge == 60)
        #expect(policy.essentialACRValues == ["gold"])
        #expect(policy.requiresAuthenticationTime)
        guard case .equal(let nonce) = policy.nonce, case .equal(let sent) = expected.nonce else {
            Issue.record("no nonce")
            return
        }
        #expect(nonce == sent)
    }

    @Test("A decoded authorization keeps its wall-clock deadline")
    func deadline() throws {
        let clock = TestClock()
        let attempt = try Example.pending(runtime: .testing(transport: ScriptedTransport([]), clock: clock))
        clock.advance(by: .seconds(599))
        let inTime = try Self.readBack(attempt, clock: clock)
        #expect(inTime.result(of: "state=STATE&code=c") == "code")
        clock.advance(by: .seconds(2))
        let late = try Self.readBack(attempt, clock: clock)
        #expect(late.result(of: "state=STATE&code=c").contains("redirect.reuse"))
    }

    @Test("Rejects the stored authorization of another client")
    func anotherClient() throws {
        let attempt = try Example.pending()
        #expect(throws: InvalidRequestError.self) {
            try Self.readBack(attempt, client: OAuthClient(clientID: "another"))
        }
    }

    @Test("Redacts the encoded text in descriptions")
    func secrets() throws {
        let text = try Example.pending().encoded()
        #expect(!"\(text)".contains("state"))
        var dumped = ""
        dump(text, to: &dumped)
        #expect(!dumped.contains("code_verifier"))
    }

    @Test("Decodes or rejects damaged text without a trap")
    func damaged() throws {
        let client = try Example.registered()
        let text = try Example.pending().encoded().withUnredacted { Array($0.utf8) }
        for index in text.indices {
            var bytes = text
            bytes[index] ^= 0x15
            let cut = String(decoding: text[..<index], as: UTF8.self)
            #expect(throws: InvalidRequestError.self, "the first \(index) bytes") {
                try PendingAuthorization(decoding: Secret(cut), by: client)
            }
            // If only a value changed, the decoded authorization matches no redirect.
            do {
                let other = try PendingAuthorization(
                    decoding: Secret(String(decoding: bytes, as: UTF8.self)),
                    by: client
                )
                #expect(other.issuer.url == Example.issuer)
            } catch {
                #expect(error is InvalidRequestError || error is ProtocolViolationError, "byte \(index): \(error)")
            }
        }
    }

    @Test("Finds the state in a query, form or signed response, unless it is repeated")
    func state() throws {
        func state(_ query: String) -> String? { DeliveredResponse.redirect("https://a.example/cb?\(query)").state }
        #expect(state("code=c&state=a%20b") == "a b")
        #expect(state("state=a&state=a") == nil)
        #expect(state("code=c") == nil)
        #expect(state("state=%") == nil)
        #expect(DeliveredResponse.formPost(to: "https://a.example/cb?state=x", body: "state=y").state == "y")
        let key = try IDTokens.key.get()
        let signed = try key.sign(payload: Array(#"{"state":"inside"}"#.utf8), type: "JWT")
        #expect(state("response=\(signed)") == "inside")
    }
}
