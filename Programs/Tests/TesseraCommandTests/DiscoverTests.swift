// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera discover")
struct DiscoverTests {
    @Test("Prints a provider's endpoints, capabilities and weaknesses")
    func report() async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run("discover", provider.issuer, "--allow-loopback-http")
            #expect(output.status == 0, "\(output.errors)")
            for words in [
                "\(provider.issuer)/token", "OpenID Connect Discovery 1.0", "yes: S256, plain", "S256, always",
                "with --par", "ES256, with --dpop", "tessera login --device",
                "client_secret_basic with a secret, none without", "lists the algorithm none for ID tokens",
            ] {
                #expect(output.text.contains(words), "\(words)")
            }
            let lines = output.text.split(separator: "\n")
            let used = lines.compactMap { $0.range(of: "S256, always")?.lowerBound.utf16Offset(in: $0) }
            let heading = lines.compactMap { $0.range(of: "USED BY TESSERA")?.lowerBound.utf16Offset(in: $0) }
            #expect(used == heading, "the columns align")
        }
    }

    @Test("Falls back to the RFC 8414 document and names it in the object")
    func plainOAuth() async throws {
        var options = SmallProvider.Options()
        options.isPlainOAuth = true
        try await SmallProvider.play(options) { scene, provider in
            let object = try await scene.run("discover", provider.issuer, "--allow-loopback-http", "--json").json()
            #expect(object["standard"]?.string == "RFC 8414")
            #expect(object["document"]?.string?.hasSuffix("/.well-known/oauth-authorization-server") == true)
            let pushed = object["capabilities"]?.elements?.first { $0["name"]?.string == "pushed requests (PAR)" }
            #expect(pushed?["offered"]?.bool == true)
        }
    }

    @Test("Rejects a URL that is not an issuer and one without metadata")
    func failures() async throws {
        try await Scene.play { scene in
            let plain = try await scene.run("discover", "http://example.com")
            #expect(plain.status == 2)
            let nowhere = scene.provider.issuer + "/nowhere"
            let missing = try await scene.run("discover", nowhere, "--allow-loopback-http")
            #expect(missing.status == 4)
        }
    }
}
