// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Form post responses")
struct FormPostTests {
    private static func judge(
        _ pending: PendingAuthorization,
        _ body: String,
        to uri: String = Example.redirectURI
    ) -> String {
        let state = pending.sent("state").first ?? ""
        let delivered = DeliveredResponse.formPost(to: uri, body: body.replacing("STATE", with: state))
        if let mismatch = pending.mismatch(delivered) { return "not ours: \(mismatch.rule)" }
        var result = ""
        let thrown = outcome { result = try pending.received(delivered)?.code.withUnredacted { $0 } ?? "unverified" }
        return result.isEmpty ? thrown : result
    }

    private static func pending(_ metadata: ServerMetadata? = nil) throws -> PendingAuthorization {
        try Example.pending(metadata) { $0.responseMode = .formPost }
    }

    @Test("A posted form is judged as a redirect's query is, once", .covers(26, 30, 43))
    func good() throws {
        let pending = try Self.pending()
        #expect(pending.sent("response_mode") == ["form_post"])
        #expect(Self.judge(pending, "code=a%2Bb+c&state=STATE") == "a+b c")
        #expect(Self.judge(pending, "code=a&state=STATE") == "redirect.reuse")
    }

    @Test(
        "What is not provably ours leaves the attempt open",
        .covers(26, 27, 28, 29, 36, 38),
        arguments: [
            ("state=other&code=c", "redirect.state"), ("code=c", "redirect.state"), ("", "redirect.state"),
            ("state=STATE&state=STATE&code=c", "redirect.format"), ("state=STATE&code=c&code=d", "redirect.format"),
            ("error=access_denied", "redirect.state"), ("state=STATE&code=%zz", "redirect.format"),
            ("state=STATE&code=%00", "redirect.format"),
            ("state=STATE&code=" + String(repeating: "c", count: 1 << 17), "redirect.format"),
        ]
    )
    func notOurs(body: String, rule: String) throws {
        let pending = try Self.pending()
        #expect(Self.judge(pending, body) == "not ours: \(rule)")
        let sound = "state=STATE&code=c"
        #expect(Self.judge(pending, sound, to: "http://127.0.0.1:5000/other") == "not ours: redirect.uri")
        #expect(Self.judge(pending, sound, to: "http://127.0.0.1:5001/callback") == "not ours: redirect.uri")
        #expect(Self.judge(pending, sound) == "c")
    }

    @Test(
        "An error, another issuer and a token that was not asked for are final here too",
        .covers(31, 32, 39, 40),
        arguments: [
            ("state=STATE&error=access_denied&code=c", "OAuthError access_denied"),
            ("state=STATE&code=c&iss=https%3A%2F%2Fevil.example", "redirect.issuer"),
            ("state=STATE&code=c&iss=", "redirect.issuer"), ("state=STATE&code=c&id_token=t", "redirect.code"),
            ("state=STATE&code=c&access_token=t", "redirect.code"), ("state=STATE", "redirect.code"),
        ]
    )
    func refused(body: String, expected: String) throws {
        #expect(Self.judge(try Self.pending(), body) == expected)
    }

    @Test("Where the provider announced it, a response names its issuer", .covers(31, 32))
    func announcedIssuer() throws {
        let metadata = try Example.metadata(["authorization_response_iss_parameter_supported": "true"])
        #expect(Self.judge(try Self.pending(metadata), "state=STATE&code=c") == "redirect.issuer")
        #expect(Self.judge(try Self.pending(metadata), "state=STATE&code=c&iss=https%3A%2F%2Fas.example") == "c")
    }

    @Test("An answer that comes in another way than was asked for is not ours", .covers(36, 41))
    func otherWay() throws {
        let pending = try Self.pending()
        #expect(pending.judgement("state=STATE&code=c") == "not ours: redirect.format")
        #expect(Self.judge(pending, "", to: Example.redirectURI + "?state=STATE&code=c") == "not ours: redirect.state")
        #expect(Self.judge(pending, "state=STATE&code=c") == "c")
        #expect(Self.judge(try Example.pending(), "state=STATE&code=c") == "not ours: redirect.format")
    }

    @Test("The redirect URI's own query stays in the URI that is posted to", .covers(36))
    func ownQuery() throws {
        let uri = "https://app.example/cb?as=one"
        let pending = try Example.pending(redirectURI: uri) { $0.responseMode = .formPost }
        #expect(
            Self.judge(pending, "state=STATE&code=c", to: "https://app.example/cb") == "not ours: redirect.uri"
        )
        #expect(Self.judge(pending, "state=STATE&code=c", to: uri) == "c")
    }

    @Test("What was delivered shows nothing of itself")
    func redaction() {
        let delivered = DeliveredResponse.formPost(to: Example.redirectURI, body: "code=s3cr3t")
        var dumped = ""
        dump(delivered, to: &dumped)
        #expect(!"\(delivered)\(String(reflecting: delivered))\(dumped)".contains("s3cr3t"))
    }
}
