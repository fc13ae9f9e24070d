// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraTesting

@Suite("tessera register")
struct RegisterTests {
    private static func register(_ provider: SmallProvider, _ more: String...) -> [String] {
        ["register", "--issuer", provider.issuer, "--allow-loopback-http"] + more
    }

    @Test("Signs in with a registered client by its issuer alone")
    func login() async throws {
        try await SmallProvider.play { scene, provider in
            let output = try await scene.run(Self.register(provider, "--name", "My program", "--json"))
            #expect(output.status == 0, "\(output.errors)")
            #expect(try output.json()["clientID"]?.string == "registered-1")
            #expect(!output.text.contains("hidden"))
            let sent = try JSONValue(parsing: try #require(provider.requests(to: "/register").first).body)
            #expect(sent["client_name"]?.string == "My program")
            #expect(sent["redirect_uris"]?.elements?.compactMap(\.string) == ["http://127.0.0.1/"])
            #expect(sent["application_type"]?.string == "native")
            let login = try await scene.run(
                "login",
                "--issuer",
                provider.issuer,
                "--allow-loopback-http",
                "--device"
            )
            #expect(login.status == 0, "\(login.errors)")
            // The client was registered with client_secret_basic.
            #expect(
                provider.requests(to: "/token").first?.head.headerFields[.authorization]?.hasPrefix("Basic ") == true
            )
        }
    }

    @Test("Does not list a registration as an account, and encrypts it")
    func hidden() async throws {
        try await SmallProvider.play { scene, provider in
            try #require(try await scene.run(Self.register(provider)).status == 0)
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == true)
            #expect(try await scene.run("token").status == 6)
            for name in try FileManager.default.contentsOfDirectory(atPath: scene.store) {
                let bytes = try Data(contentsOf: URL(filePath: scene.store + "/" + name))
                #expect(bytes.range(of: Data("hidden".utf8)) == nil)
            }
        }
    }

    @Test(
        "Rejects a client ID that is reserved for stored registrations",
        .covers(164)
    )
    func reserved() async throws {
        var options = SmallProvider.Options()
        options.clientID = "tessera:registration"
        try await SmallProvider.play(options) { scene, provider in
            let output = try await scene.run(Self.register(provider, "--json"))
            #expect(output.status == 4, "\(output.errors)")
            #expect(try output.json()["error"]?["code"]?.string == "registration.format")
            let login = try await scene.run("login", "--issuer", provider.issuer, "--allow-loopback-http", "--device")
            #expect(login.status == 2)
            #expect(login.errors.contains("tessera register"))
        }
    }

    @Test("Rejects a second registration without --replace")
    func twice() async throws {
        try await SmallProvider.play { scene, provider in
            try #require(try await scene.run(Self.register(provider)).status == 0)
            let again = try await scene.run(Self.register(provider))
            #expect(again.status == 2)
            #expect(again.errors.contains("registered-1"))
            #expect(provider.requests(to: "/register").count == 1)
            #expect(try await scene.run(Self.register(provider, "--replace")).status == 0)
        }
    }

    @Test("--delete removes the registration at the provider and in the store")
    func delete() async throws {
        try await SmallProvider.play { scene, provider in
            try #require(try await scene.run(Self.register(provider)).status == 0)
            let output = try await scene.run(Self.register(provider, "--delete", "--json"))
            #expect(output.status == 0, "\(output.errors)")
            #expect(try output.json()["deleted"]?.bool == true)
            let request = try #require(provider.requests(to: "/clients/1").first)
            #expect(request.head.method == .delete)
            #expect(request.head.headerFields[.authorization] == "Bearer hidden-management")
            let login = try await scene.run("login", "--issuer", provider.issuer, "--allow-loopback-http", "--device")
            #expect(login.status == 2)
            #expect(login.errors.contains("tessera register"))
            #expect(try await scene.run(Self.register(provider, "--delete")).status == 2)
        }
    }

    @Test("Rejects a secret without an expiration time unless accepted", .covers(123))
    func missingExpiry() async throws {
        var options = SmallProvider.Options()
        options.registration = #", "client_secret": "hidden-secret""#
        try await SmallProvider.play(options) { scene, provider in
            let refused = try await scene.run(Self.register(provider))
            #expect(refused.status == 4)
            #expect(refused.errors.contains("Add --accept-missing-expiry"), "\(refused.errors)")
            let accepted = try await scene.run(Self.register(provider, "--accept-missing-expiry"))
            #expect(accepted.status == 0)
        }
    }

    @Test("Sends an initial access token from a file")
    func initialAccessToken() async throws {
        try await SmallProvider.play { scene, provider in
            let file = scene.home + "/initial"
            try Data("initial-1\n".utf8).write(to: URL(filePath: file))
            let output = try await scene.run(
                Self.register(provider, "--initial-access-token-file", file, "--auth-method", "client_secret_post")
            )
            #expect(output.status == 0, "\(output.errors)")
            let request = try #require(provider.requests(to: "/register").first)
            #expect(request.head.headerFields[.authorization] == "Bearer initial-1")
            #expect(try JSONValue(parsing: request.body)["token_endpoint_auth_method"]?.string == "client_secret_post")
        }
    }
}
