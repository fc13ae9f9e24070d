// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera inspect")
struct InspectTests {
    @Test("Prints the contents of a token and verifies its signature with the issuer's keys")
    func verified() async throws {
        try await SmallProvider.play { scene, provider in
            let token = try provider.token()
            for input in [token, "Bearer \(token)\n", "Authorization: Bearer \(token)"] {
                let output = try await scene.run(
                    ["inspect", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http"],
                    input: Array(input.utf8)
                )
                #expect(output.status == 0, "\(output.errors)")
                for words in [
                    "RS256", "ada@example.com", "ends in 60 min", "verified with the keys from \(provider.issuer)",
                ] {
                    #expect(output.text.contains(words), "\(words)")
                }
                #expect(output.errors.isEmpty)
                for part in token.split(separator: ".") { #expect(!output.text.contains(part)) }
            }
        }
    }

    @Test("Verifies a signature with keys from a file")
    func file() async throws {
        try await SmallProvider.play { scene, provider in
            let file = scene.home + "/keys.json"
            try Data(provider.keys.utf8).write(to: URL(filePath: file))
            let arguments = ["inspect", "--jwks", file, "--json"]
            let object = try await scene.run(arguments, input: Array(try provider.token().utf8)).json()
            #expect(object["signature"]?.string == "verified")
            #expect(object["claims"]?["sub"]?.string == "ada")
            #expect(object["expired"]?.bool == false)
        }
    }

    @Test("Verifies a session's token without options")
    func session() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let token = try await scene.run("token", "--id-token").bytes
            let output = try await scene.run(["inspect"], input: token)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.contains("verified with the keys from \(scene.provider.issuer)"))
        }
    }

    @Test("Reports an unverified signature if no issuer is specified")
    func unchecked() async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run(["inspect"], input: Array(try provider.token(expiresIn: -60).utf8))
            #expect(output.status == 0)
            #expect(output.text.contains("not checked: specify the issuer with --issuer"))
            #expect(output.text.contains("expired 60 s ago") || output.text.contains("expired 61 s ago"))
        }
    }

    @Test("Prints an invalid token and exits with 4")
    func broken() async throws {
        try await SmallProvider.play { scene, provider in
            let good = try provider.token()
            let parts = good.split(separator: ".")
            let other = try provider.token(audience: "other").split(separator: ".")
            let cases: [(String, String)] = [
                ("\(parts[0]).\(parts[1]).\(other[2])", "jws.signature"),
                (try provider.token(expiresIn: -4_000), "jwt.time"),
                (try provider.token(issuer: "https://other.example"), "jwt.issuer"),
                (try provider.token(audience: "other"), "jwt.audience"),
            ]
            for (token, code) in cases {
                let output = try await scene.run(
                    [
                        "inspect", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http",
                        "--json",
                    ],
                    input: Array(token.utf8)
                )
                #expect(output.status == 4, "\(code)")
                #expect(try output.json()["error"]?["code"]?.string == code)
                #expect(try output.json()["claims"]?["sub"]?.string == "ada")
                #expect(try output.json()["signature"]?.string == "broken")
            }
        }
    }

    @Test("Warns that a token in an argument is visible to other users")
    func argument() async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run("inspect", try provider.token())
            #expect(output.status == 0)
            #expect(output.errors.contains("Other users on this machine can see command-line arguments"))
        }
    }

    @Test("Reports encrypted tokens, invalid tokens and empty input")
    func others() async throws {
        try await Scene.play { scene in
            let header = Data(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8).base64EncodedString()
                .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            let encrypted = try await scene.run(["inspect"], input: Array("\(header).AA.AA.AA.AA".utf8))
            #expect(encrypted.status == 0)
            #expect(encrypted.text.contains("the token is encrypted (JWE)"))
            #expect(encrypted.text.contains("A256GCM"))
            #expect(try await scene.run(["inspect"], input: Array("ya29x.no-token".utf8)).status == 2)
            #expect(try await scene.run(["inspect"], input: []).status == 2)
        }
    }
}
