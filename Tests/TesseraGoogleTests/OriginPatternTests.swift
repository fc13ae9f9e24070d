// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TestTraits
internal import Testing

@Suite("Origin patterns")
struct OriginPatternTests {
    @Test(
        "Normalizes an origin",
        arguments: [
            ("https://api.example.com", "https://api.example.com"),
            ("https://API.example.com/", "https://api.example.com"),
            ("https://api.example.com:443", "https://api.example.com"),
            ("https://api.example.com:8443", "https://api.example.com:8443"),
            ("https://*.googleapis.com", "https://*.googleapis.com"),
            ("https://*.example.com:8443", "https://*.example.com:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[::1]:80", "http://[::1]"),
            ("https://host", "https://host"),
            ("http://localhost:1", "http://localhost:1"),
        ]
    )
    func form(text: String, expected: String) throws {
        let pattern = try OriginPattern(text)
        #expect(pattern.description == expected)
        #expect(try OriginPattern(expected) == pattern)
    }

    @Test(
        "Rejects invalid and overly wide origins",
        .covers(120),
        arguments: [
            "", "*", "https://*", "https://*.com", "https://*.localhost", "https://*.*.com", "https://a.*.com",
            "https://a*.com",
            "https://*a.com", "https://*..com", "*.example.com", "api.example.com", "//api.example.com",
            "http://api.example.com",
            "http://*.example.com", "http://*.127.0.0.1", "https://*.127.0.0.1", "ftp://api.example.com",
            "https://api.example.com/v1",
            "https://api.example.com?x", "https://api.example.com#x", "https://user@api.example.com",
            "https://u:p@*.example.com",
            "https://api.example.com:0", "https://api.example.com:99999", "https://", "https:///",
            "https://evil/://*.example.com",
            "https://api example.com", "https://\u{E9}.example", "https://api.example%2fx.com", "javascript:alert(1)",
        ]
    )
    func refused(_ text: String) {
        #expect(outcome { try OriginPattern(text) } == "InvalidRequestError origin")
    }

    @Test(
        "Contains only requests with the same scheme, host and port",
        .covers(120),
        arguments: [
            ("https://api.example.com", "https", "api.example.com", true),
            ("https://api.example.com", "https", "api.example.com:443", true),
            ("https://api.example.com", "https", "API.example.com", true),
            ("https://api.example.com", "https", "api.example.com:8443", false),
            ("https://api.example.com", "http", "api.example.com", false),
            ("https://api.example.com", "https", "x.api.example.com", false),
            ("https://api.example.com", "https", "example.com", false),
            ("https://api.example.com", "https", "api.example.com.", false),
            ("https://api.example.com", "https", "user@api.example.com", false),
            ("https://api.example.com", "https", nil, false),
            ("https://api.example.com", nil, "api.example.com", false),
            ("https://api.example.com:8443", "https", "api.example.com:8443", true),
            ("https://api.example.com:8443", "https", "api.example.com", false),
            ("https://*.example.com", "https", "example.com", false),
            ("https://*.example.com", "https", "a.example.com", true),
            ("https://*.example.com", "https", "a.b.example.com:443", true),
            ("https://*.example.com", "https", "aexample.com", false),
            ("https://*.example.com", "https", ".example.com", false),
            ("https://*.example.com", "https", "*.example.com", false),
            ("http://127.0.0.1:8080", "http", "127.0.0.1:8080", true),
            ("http://127.0.0.1:8080", "http", "127.0.0.1", false),
            ("http://127.0.0.1:8080", "http", "localhost:8080", false),
            ("http://127.0.0.1:8080", "https", "127.0.0.1:8080", false),
        ] as [(String, String?, String?, Bool)]
    )
    func contains(pattern: String, scheme: String?, authority: String?, isInside: Bool) throws {
        #expect(try OriginPattern(pattern).contains(scheme: scheme, authority: authority) == isInside)
    }
}
