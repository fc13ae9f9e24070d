// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import Testing

@Suite("URI parts")
struct URIPartsTests {
    private static func text(_ uri: String) -> String? {
        URIParts(uri)
            .map { parts in
                [
                    parts.scheme, parts.userinfo ?? "-", parts.host ?? "-", parts.port.map(String.init) ?? "-",
                    parts.path,
                    parts.query ?? "-", parts.fragment ?? "-",
                ]
                .joined(separator: "|")
            }
    }

    @Test(
        "Splits a URI as RFC 3986 defines",
        arguments: [
            ("https://h", "https|-|h|-||-|-"), ("HTTPS://H.Example/P", "https|-|h.example|-|/P|-|-"),
            ("https://h:8443/p?q#f", "https|-|h|8443|/p|q|f"), ("https://h?q=/?", "https|-|h|-||q=/?|-"),
            ("https://h#f?x", "https|-|h|-||-|f?x"), ("https://h?#", "https|-|h|-|||"),
            ("https://u:p@h/", "https|u:p|h|-|/|-|-"), ("https://@h", "https||h|-||-|-"),
            ("https://a@b@h", "https|a@b|h|-||-|-"), ("https://[2001:DB8::1]:443/", "https|-|[2001:db8::1]|443|/|-|-"),
            ("com.example.app:/cb", "com.example.app|-|-|-|/cb|-|-"), ("mailto:a@b", "mailto|-|-|-|a@b|-|-"),
            ("a+b-c.1:x", "a+b-c.1|-|-|-|x|-|-"), ("x:", "x|-|-|-||-|-"),
            ("https://h//a/../b", "https|-|h|-|//a/../b|-|-"),
            ("https://good.example@evil.example/", "https|good.example|evil.example|-|/|-|-"),
            ("https://h/?https://x@y", "https|-|h|-|/|https://x@y|-"),
        ]
    )
    func split(uri: String, expected: String) {
        #expect(Self.text(uri) == expected)
    }

    @Test(
        "Rejects a malformed URI instead of repairing it",
        arguments: [
            "", ":", "h", "//h", "/p", "1a://h", "-x:y", "https://", "https:///p", "https://h:", "https://h:x",
            "https://h:-1",
            "https://h:+1", "https://h:65536", "https://h:0", "https://h:123456789012345678901", "https://h h",
            " https://h",
            "https://h ", "https://h\n", "https://h\t", "https://h\u{0}", "https://\u{E9}", "https://h/\u{E9}",
            "https://h\\evil.example", "https://h/\"", "https://h/<x>", "https://h/{}", "https://h/|", "https://h/^",
            "https://h/`",
            "https://[::1", "https://::1]", "https://[]", "https://[::1]x", "https://[::1].evil.example",
            "https://[evil.example]",
            "https://a[b]", "https://h%2eexample", "https://h%2f.example", "https://*.example", "https://h,x",
            "https://h;x",
            "https://h(x)", "https://:443", "https://u@", "https://h:1:2", "https:\u{2215}\u{2215}h",
            "https://\u{212A}.example",
        ]
    )
    func refused(_ uri: String) {
        #expect(Self.text(uri) == nil)
    }

    @Test(
        "Treats only loopback address literals and localhost as loopback",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("localhost", true), ("LocalHost", true), ("[::1]", true),
            ("127.0.0.+1", false), ("127.0.0.01", false), ("127.0.0.256", false), ("127.0.0", false),
            ("127.0.0.1.", false),
            ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("0x7f.0.0.1", false),
            ("2130706433", false),
            ("128.0.0.1", false), ("0.0.0.0", false), ("[::]", false), ("[::ffff:127.0.0.1]", false),
            ("127.0.0.-1", false),
            ("127.0.0.1e0", false), ("evil127.0.0.1", false),
        ]
    )
    func loopback(host: String, isLoopback: Bool) {
        #expect(URIParts("http://\(host)/")?.isLoopback ?? false == isLoopback)
        #expect(
            (outcome { try Endpoint("http://\(host)/", name: "e", insecure: .loopbackHTTP) } == "accepted")
                == isLoopback
        )
        #expect((outcome { try Issuer("http://\(host)", insecure: .loopbackHTTP) } == "accepted") == isLoopback)
        #expect(outcome { try Endpoint("http://\(host)/", name: "e") } == "metadata.endpoint")
        #expect(outcome { try Issuer("http://\(host)") } == "metadata.issuerForm")
    }

    @Test("Uses the scheme's default port if the URI has none")
    func ports() {
        #expect(URIParts("https://h")?.effectivePort == 443)
        #expect(URIParts("http://h")?.effectivePort == 80)
        #expect(URIParts("https://h:80")?.effectivePort == 80)
        #expect(URIParts("ftp://h")?.effectivePort == nil)
        #expect(URIParts("https://[::1]:8443")?.authority == "[::1]:8443")
        #expect(URIParts("https://h?x=1")?.requestTarget == "/?x=1")
    }

    @Test("An endpoint preserves its URL, and its error names the metadata member")
    func endpoint() throws {
        let endpoint = try Endpoint("https://AS.example/Token?x=%20", name: "token_endpoint")
        #expect(endpoint.url == "https://AS.example/Token?x=%20")
        #expect("\(endpoint)" == endpoint.url)
        let request = try TokenRequest.refresh(Secret("r"), at: endpoint).message(client: Example.client).request
        #expect(request.authority == "as.example")
        #expect(request.path == "/Token?x=%20")
        #expect(request.scheme == "https")
        let error = #expect(throws: (any Error).self) { try Endpoint("ftp://h/", name: "jwks_uri") }
        #expect("\(error, default: "")".contains("jwks_uri"))
    }

    @Test("Compares issuers as exact strings")
    func issuer() throws {
        #expect(try Issuer("https://as.example") == Issuer("https://as.example"))
        #expect(try Issuer("https://as.example") != Issuer("https://as.example/"))
        #expect(try Issuer("https://as.example") != Issuer("https://AS.example"))
        #expect(try "\(Issuer("https://as.example/t"))" == "https://as.example/t")
    }
}
