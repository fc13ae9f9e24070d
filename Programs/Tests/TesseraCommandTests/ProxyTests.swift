// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite(
    "tessera behind a proxy",
    .enabled(if: InterceptingProxy.missing == nil, Comment(rawValue: InterceptingProxy.missing ?? "")),
    .serialized
)
struct ProxyTests {
    @Test("Signs in and calls APIs through a proxy with credentials that sees only host and port")
    func tunnel() async throws {
        try await Self.play { scene in
            try await InterceptingProxy.run(for: scene, "--tunnel", "--credentials", "ada:pass@word") { proxy in
                let network = [
                    "HTTPS_PROXY": proxy.url(credentials: "ada:pass%40word@"),
                    "SSL_CERT_FILE": try #require(scene.provider.certificateAuthorityFile),
                ]
                try await Self.signInAndCall(scene, network)
                let lines = try proxy.lines()
                #expect(Set(lines) == ["CONNECT \(LoopbackNamespace.address):\(Self.port(of: scene))"])
            }
        }
    }

    @Test("Trusts an intercepting proxy with its authority in SSL_CERT_FILE")
    func intercepting() async throws {
        try await Self.play { scene in
            try await InterceptingProxy.run(for: scene) { proxy in
                let network = ["https_proxy": proxy.url(), "SSL_CERT_FILE": proxy.authority]
                try await Self.signInAndCall(scene, network)
                let base = scene.provider.baseURL
                let lines = try proxy.lines()
                #expect(lines.contains("GET \(base)/.well-known/openid-configuration"))
                #expect(lines.contains("POST \(base)/token"))
                #expect(lines.contains("GET \(base)/drive/v3/files"))
            }
        }
    }

    @Test("Rejects an intercepting proxy with an unknown authority")
    func unknownAuthority() async throws {
        try await Self.play { scene in
            try await InterceptingProxy.run(for: scene) { proxy in
                let output = try await Self.discover(scene, ["HTTPS_PROXY": proxy.url()])
                #expect(output.status == 5)
                #expect(output.errors.contains("certificate was not accepted"), "\(output.errors)")
                #expect(output.errors.contains("whether a proxy intercepts TLS"), "\(output.errors)")
                #expect(try !proxy.lines().contains { $0.hasPrefix("GET") })
            }
        }
    }

    @Test(
        "Reports wrong and missing credentials without printing them",
        arguments: ["ada:wrongword@", ""]
    )
    func credentials(credentials: String) async throws {
        try await Self.play { scene in
            try await InterceptingProxy.run(for: scene, "--credentials", "ada:password") { proxy in
                let network = ["HTTPS_PROXY": proxy.url(credentials: credentials), "SSL_CERT_FILE": proxy.authority]
                let output = try await Self.discover(scene, network)
                #expect(output.status == 5)
                #expect(output.errors.contains("proxy cannot be used"), "\(output.errors)")
                #expect(!output.errors.contains("wrongword"))
            }
        }
    }

    @Test("NO_PROXY excludes hosts from the proxy")
    func exception() async throws {
        try await Self.play { scene in
            try await InterceptingProxy.run(for: scene) { proxy in
                let exceptions = "example.org,\(LoopbackNamespace.address)"
                let output = try await Self.discover(scene, ["HTTPS_PROXY": proxy.url(), "NO_PROXY": exceptions])
                #expect(output.status == 0, "\(output.errors)")
                #expect(try proxy.lines().isEmpty)
            }
        }
    }

    @Test(
        "Fails without a working proxy and does not bypass it",
        arguments: [
            "http://127.0.0.1:1", "https://proxy.example:3128", "ftp://proxy.example",
        ]
    )
    func noProxy(proxy: String) async throws {
        try await Self.play { scene in
            let output = try await Self.discover(scene, ["HTTPS_PROXY": proxy])
            #expect(output.status == 5, "\(output.errors)")
            #expect(output.text.isEmpty)
        }
    }

    /// Runs `body` with a TLS provider at an address outside of 127.0.0.0/8, because loopback addresses bypass proxies.
    static func play(_ body: (Scene) async throws -> Void) async throws {
        try await LoopbackNamespace.addAddress()
        var options = LocalProviderOptions()
        options.host = LoopbackNamespace.address
        options.tls = true
        let folder = NSTemporaryDirectory() + "tessera-authority-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        options.certificateAuthorityFile = folder + "/authority.pem"
        try await Scene.play(options, body)
    }

    /// Runs `tessera discover` with the given network settings, and trusts the provider's authority by default.
    private static func discover(_ scene: Scene, _ network: [String: String]) async throws -> CommandOutput {
        let trusted = ["SSL_CERT_FILE": try #require(scene.provider.certificateAuthorityFile)]
        return try await scene.run(
            "discover",
            scene.provider.issuer,
            environment: trusted.merging(network) { $1 }
        )
    }

    private static func signInAndCall(_ scene: Scene, _ network: [String: String]) async throws {
        // This browser does not inherit the proxy settings, so `env` passes them. The `timeout` command is needed
        // because tessera recognizes a leading `env` as a program that starts others and would pass it a one-time URL.
        let proxies = network.filter { $0.key == "HTTPS_PROXY" }.map { "\($0.key)=\($0.value)" }
        let browser = (["timeout", "200", "env"] + proxies + [Scene.walk()]).joined(separator: " ")
        let login = try await scene.run(
            ["login", "--client", scene.clientFile, "--browser", browser, "--scope", Scene.driveScope],
            environment: network
        )
        #expect(login.status == 0, "\(login.errors)")
        let token = try await scene.run("token", "--refresh", environment: network)
        #expect(token.status == 0, "\(token.errors)")
        let files = try await scene.run("fetch", "\(scene.drive)/files", environment: network)
        #expect(files.status == 0, "\(files.errors)")
        #expect(try JSONValue(parsing: files.bytes)["files"]?.elements?.isEmpty == false)
    }

    private static func port(of scene: Scene) -> String {
        scene.provider.baseURL.split(separator: ":").last.map(String.init) ?? ""
    }
}
