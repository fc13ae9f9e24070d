// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Device authorization")
struct DeviceAuthorizationTests {
    static func client(_ client: OAuthClient = Example.client, _ change: [String: String] = [:]) throws
        -> RegisteredClient
    {
        let endpoint = ["device_authorization_endpoint": #""https://as.example/device""#]
        return RegisteredClient(
            client,
            metadata: try Example.metadata(endpoint.merging(change) { $1 }),
            runtime: .testing(transport: ScriptedTransport([]))
        )
    }

    static func response(_ changes: [String: String] = [:], insecure: Insecure = []) throws -> DeviceAuthorization {
        let body = Example.object(
            [
                "device_code": #""device""#, "user_code": #""WDJB-MJHT""#,
                "verification_uri": #""https://as.example/go""#, "expires_in": "1800",
            ],
            changes
        )
        return try DeviceAuthorizationRequest(scopes: [], insecure: insecure)
            .decode(Example.json(), body: Array(body.utf8), for: try Self.client())
    }

    @Test("The request contains client_id exactly once, with the scopes and resources", .covers(62))
    func request() throws {
        let request = DeviceAuthorizationRequest(
            scopes: [.openID, "a"],
            resources: ["https://api.example"],
            additionalParameters: ["x": "y"]
        )
        let names = ["client_id", "scope", "resource", "x"]
        let secret = Secret("secret")
        for (method, more) in [
            (ClientAuthentication.publicClient, []), (.clientSecretBasic, []), (.clientSecretPost, ["client_secret"]),
        ] {
            let client = OAuthClient(clientID: "client", clientSecret: secret, authentication: method)
            let message = try request.message(for: try Self.client(client))
            #expect(message.form.map(\.name) == names + more)
            #expect(RecordedRequest(head: message.request).url == "https://as.example/device")
        }
        var wrong = request
        wrong.additionalParameters = ["client_secret": "x"]
        #expect(outcome { try wrong.message(for: try Self.client()) } == "InvalidRequestError client_secret")
        let elsewhere = try Self.client(Example.client, ["device_authorization_endpoint": ""])
        #expect(outcome { try request.message(for: elsewhere) } == "metadata.missing")
    }

    @Test("Decodes a device authorization response, including Google's verification_url")
    func response() throws {
        let complete = #""https://as.example/go?user_code=WDJB-MJHT#x""#
        let authorization = try Self.response(["verification_uri_complete": complete, "more": "1"])
        #expect(authorization.deviceCode == Secret("device"))
        #expect(authorization.userCode == "WDJB-MJHT")
        #expect(authorization.verificationURI == "https://as.example/go")
        #expect(authorization.verificationURIComplete == "https://as.example/go?user_code=WDJB-MJHT#x")
        #expect(authorization.expiresIn == 1_800)
        #expect(authorization.interval == 5)
        #expect(authorization.document["more"]?.numberText == "1")
        let google = ["verification_uri": "", "verification_url": #""https://google.example/device""#]
        #expect(try Self.response(google).verificationURI == "https://google.example/device")
        #expect(!String(reflecting: authorization.deviceCode).contains("device\""))
    }

    @Test(
        "Rejects a missing or empty required member",
        .covers(110),
        arguments: ["device_code", "user_code", "verification_uri", "expires_in"],
        ["", "null", #""""#, "[]"]
    )
    func missing(_ name: String, value: String) {
        #expect(outcome { try Self.response([name: value]) } == "device.authorization")
    }

    @Test(
        "Rejects a verification URI that is not safe to open in a browser",
        .covers(110),
        arguments: [
            "javascript:alert(1)", "http://as.example/go", "file:///etc/passwd", "https:go", "//as.example/go",
            "as.example",
            "https://as.example@evil.example/", "https://as.example/a b", "data:text/html,x", "intent://x#Intent;end",
            "http://127.0.0.1:8080/go",
        ],
        ["verification_uri", "verification_uri_complete"]
    )
    func addresses(_ uri: String, name: String) {
        #expect(outcome { try Self.response([name: "\"\(uri)\""]) } == "device.authorization")
    }

    @Test("Accepts a loopback verification URI without TLS only if loopback HTTP is allowed", .covers(110))
    func loopback() throws {
        let uri = ["verification_uri": #""http://127.0.0.1:8080/go""#]
        #expect(try Self.response(uri, insecure: .loopbackHTTP).verificationURI == "http://127.0.0.1:8080/go")
        let other = ["verification_uri": #""http://as.example/go""#]
        #expect(outcome { try Self.response(other, insecure: .loopbackHTTP) } == "device.authorization")
    }

    @Test(
        "Rejects a user code with terminal control or formatting characters",
        .covers(110),
        arguments: [#""\u001b[2J""#, #""a\u0000""#, #""a\u202eb""#, #""a\nb""#]
    )
    func userCodes(_ code: String) {
        #expect(outcome { try Self.response(["user_code": code]) } == "device.authorization")
    }

    @Test(
        "Reads an interval in seconds, which defaults to 5 and is at most one hour",
        .covers(107),
        arguments: [
            ("", 5), ("null", 5), ("7", 7), (#""7""#, 7), ("0", 1), ("3600", 3_600), ("-1", nil), ("1e9", nil),
            ("3601", nil),
            (#""soon""#, nil), (#""""#, nil), ("1.5", nil), ("[5]", nil), ("true", nil), ("1e400", nil),
        ] as [(String, Int64?)]
    )
    func intervals(_ interval: String, _ expected: Int64?) throws {
        guard let expected else {
            #expect(outcome { try Self.response(["interval": interval]) } == "device.authorization")
            return
        }
        #expect(try Self.response(["interval": interval]).interval == expected)
    }

    @Test(
        "Rejects an invalid device code lifetime",
        .covers(107, 110),
        arguments: ["0", "-1", "1e9999", "99999999999", #""soon""#, "0.5"]
    )
    func lifetimes(_ lifetime: String) {
        #expect(outcome { try Self.response(["expires_in": lifetime]) } == "device.authorization")
    }

    @Test("Rejects an error response, an unexpected status and a body that is not a JSON object", .covers(110))
    func failures() throws {
        let request = DeviceAuthorizationRequest(scopes: [])
        let client = try Self.client()
        let cases: [(HTTPResponse.Status, String, String)] = [
            (.badRequest, #"{"error":"invalid_scope"}"#, "OAuthError invalid_scope"),
            (.badGateway, "<html>", "HTTPStatusError 502"), (.found, "", "HTTPStatusError 302"),
            (.ok, "<html>", "device.authorization"), (.ok, "[]", "device.authorization"),
        ]
        for (status, body, expected) in cases {
            #expect(
                outcome { try request.decode(Example.json(status), body: Array(body.utf8), for: client) } == expected
            )
        }
    }
}
