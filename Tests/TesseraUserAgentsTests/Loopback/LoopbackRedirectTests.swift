// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Loopback redirect URIs")
struct LoopbackRedirectTests {
    @Test(
        "Parses a redirect URI into its components",
        .covers(23),
        arguments: [
            ("http://127.0.0.1:8080/callback", LoopbackRedirect(path: "/callback", port: 8080, host: .ipv4)),
            ("http://127.0.0.1/", LoopbackRedirect(path: "/", host: .ipv4)),
            ("http://[::1]:1/a/b", LoopbackRedirect(path: "/a/b", port: 1, host: .ipv6)),
            ("http://localhost:65535/", LoopbackRedirect(path: "/", port: 65535, host: .localhost)),
        ]
    )
    func valid(text: String, expected: LoopbackRedirect) throws {
        #expect(try LoopbackRedirect(redirectURI: text) == expected)
    }

    @Test(
        "Rejects anything that is not a loopback redirect URI",
        .covers(23),
        arguments: [
            "http://example.com/cb", "https://127.0.0.1/", "http://127.0.0.1.evil.example/", "http://127.0.0.1:8080",
            "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:+80/", "http://127.0.0.1:/",
            "myapp:/cb",
            "http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb#x", "http://user@127.0.0.1/", "http://localhost.evil/", "",
            "http://127.0.0.1:8080x/", "http://0.0.0.0/", "http://127.0.0.1/a b",
        ]
    )
    func invalid(text: String) {
        #expect { try LoopbackRedirect(redirectURI: text) } throws: { SignInError.Code.invalidConfiguration ~= $0 }
    }
}
