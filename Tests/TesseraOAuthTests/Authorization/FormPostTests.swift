// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Form post responses")
struct FormPostTests {
    private static func result(
        _ pending: PendingAuthorization,
        _ body: String,
        to uri: String = Example.redirectURI
    ) -> String {
        let state = pending.sent("state").first ?? ""
        let delivered = DeliveredResponse.formPost(to: uri, body: body.replacing("STATE", with: state))
        if let mismatch = pending.mismatch(delivered) { return "mismatch: \(mismatch.rule)" }
        var result = ""
        let thrown = outcome { result = try pending.received(delivered)?.code.withUnredacted { $0 } ?? "unverified" }
        return result.isEmpty ? thrown : result
    }

    private static func pending(_ metadata: ServerMetadata? = nil) throws -> PendingAuthorization {
        try Example.pending(metadata) { $0.responseMode = .formPost }
    }

    @Test("Accepts a posted response once, like a redirect", .covers(26, 30, 43))
    func good() throws {
        let pending = try Self.pending()
        #expect(pending.sent("response_mode") == ["form_post"])
        #expect(Self.result(pending, "code=a%2Bb+c&state=STATE") == "a+b c")
        #expect(Self.result(pending, "code=a&state=STATE") == "redirect.reuse")
    }

    @Test(
        "A posted response that does not match leaves the request pending",
        .covers(26, 27, 28, 29, 36, 38),
        arguments: [
            ("state=other&code=c", "redirect.state"), ("code=c", "redirect.state"), ("", "redirect.state"),
            ("state=STATE&state=STATE&code=c", "redirect.format"), ("state=STATE&code=c&code=d", "redirect.format"),
            ("error=access_denied", "redirect.state"), ("state=STATE&code=%zz", "redirect.format"),
            ("state=STATE&code=%00", "redirect.format"),
            ("state=STATE&code=" + String(repeating: "c", count: 1 << 17), "redirect.format"),
        ]
    )
    func mismatches(body: String, rule: String) throws {
        let pending = try Self.pending()
        #expect(Self.result(pending, body) == "mismatch: \(rule)")
        let valid = "state=STATE&code=c"
        #expect(Self.result(pending, valid, to: "http://127.0.0.1:5000/other") == "mismatch: redirect.uri")
        #expect(Self.result(pending, valid, to: "http://127.0.0.1:5001/callback") == "mismatch: redirect.uri")
        #expect(Self.result(pending, valid) == "c")
    }

    @Test(
        "A posted error, wrong issuer or unrequested token is final",
        .covers(31, 32, 39, 40),
        arguments: [
            ("state=STATE&error=access_denied&code=c", "OAuthError access_denied"),
            ("state=STATE&code=c&iss=https%3A%2F%2Fevil.example", "redirect.issuer"),
            ("state=STATE&code=c&iss=", "redirect.issuer"), ("state=STATE&code=c&id_token=t", "redirect.code"),
            ("state=STATE&code=c&access_token=t", "redirect.code"), ("state=STATE", "redirect.code"),
        ]
    )
    func refused(body: String, expected: String) throws {
        #expect(Self.result(try Self.pending(), body) == expected)
    }

    @Test("Requires iss in a posted response if the provider announces it", .covers(31, 32))
    func announcedIssuer() throws {
        let metadata = try Example.metadata(["authorization_response_iss_parameter_supported": "true"])
        #expect(Self.result(try Self.pending(metadata), "state=STATE&code=c") == "redirect.issuer")
        #expect(Self.result(try Self.pending(metadata), "state=STATE&code=c&iss=https%3A%2F%2Fas.example") == "c")
    }

    @Test("Rejects a response that arrives in another response mode than requested", .covers(36, 41))
    func otherWay() throws {
        let pending = try Self.pending()
        #expect(pending.result(of: "state=STATE&code=c") == "mismatch: redirect.format")
        #expect(Self.result(pending, "", to: Example.redirectURI + "?state=STATE&code=c") == "mismatch: redirect.state")
        #expect(Self.result(pending, "state=STATE&code=c") == "c")
        #expect(Self.result(try Example.pending(), "state=STATE&code=c") == "mismatch: redirect.format")
    }

    @Test("Requires the redirect URI's own query in the URI of the form post", .covers(36))
    func ownQuery() throws {
        let uri = "https://app.example/cb?as=one"
        let pending = try Example.pending(redirectURI: uri) { $0.responseMode = .formPost }
        #expect(
            Self.result(pending, "state=STATE&code=c", to: "https://app.example/cb") == "mismatch: redirect.uri"
        )
        #expect(Self.result(pending, "state=STATE&code=c", to: uri) == "c")
    }

    @Test("Redacts a delivered response in descriptions")
    func redaction() {
        let delivered = DeliveredResponse.formPost(to: Example.redirectURI, body: "code=s3cr3t")
        var dumped = ""
        dump(delivered, to: &dumped)
        #expect(!"\(delivered)\(String(reflecting: delivered))\(dumped)".contains("s3cr3t"))
    }
}
