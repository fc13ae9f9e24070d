// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera doctor with local problems")
struct DoctorSurroundingsTests {
    @Test(
        "Distinguishes a locked, a missing and a faulty keyring",
        .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
    )
    func keyring() async throws {
        try await Scene.play { scene in
            try await KeyringSession.play { session in
                let store = ["--store", "secret-service:"]
                let login = try await scene.run(
                    ["login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()] + store,
                    environment: session.bus
                )
                #expect(login.status == 0, "\(login.errors)")
                func doctor(_ more: [String: String] = [:]) async throws -> DoctorOutput {
                    let environment = session.bus.merging(more) { $1 }
                    return try DoctorOutput(
                        try await scene.run(["doctor", "--json"] + store, environment: environment)
                    )
                }
                let well = try await doctor()
                #expect(well.status == 0)
                #expect(well.words("store") == "secret-service: can be read and written, and has 1 session")

                let library = try await session.makeForgetfulLibrary()
                let inherited = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? ""
                let lying = try await doctor(["LD_LIBRARY_PATH": library + inherited])
                #expect(lying.status == 7)
                #expect(lying.findings("store") == ["storeLies certain"], "\(lying.words("store"))")
                // Sessions that were saved earlier are still reported.
                #expect(lying.state("account") == "ok")

                try session.replace(.locked)
                let locked = try await doctor()
                #expect(locked.status == 7)
                #expect(locked.findings("store") == ["keyringLocked certain"], "\(locked.words("store"))")

                try session.replace(nil)
                let absent = try await doctor()
                #expect(absent.status == 7)
                #expect(absent.findings("store") == ["keyringAbsent certain"], "\(absent.words("store"))")
            }
            let nowhere = try await scene.run("doctor", "--store", "secret-service:", "--json")
            #expect(try DoctorOutput(nowhere).findings("store") == ["keyringAbsent certain"])
        }
    }

    @Test("Reports a read-only store with advice")
    func unwritable() async throws {
        try await DoctorScene.play { play in
            let file = play.scene.home + "/file"
            try Data().write(to: URL(filePath: file))
            // The store's directory is a file, because root can write to any directory.
            let output = try await play.doctor("--store", "file:\(file)/sessions")
            #expect(output.status == 7)
            #expect(output.state("store") == "problem")
            #expect(!output.text("store").isEmpty)
        }
    }

    @Test("Reports a full disk", .enabled { await Self.canMount() })
    func full() async throws {
        try await Scene.play { scene in
            let disk = scene.home + "/disk"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
            let preparation = """
                mount -t tmpfs -o size=64k,mode=700 none "$0" && head -c 61440 /dev/zero > "$0/filling" && exec "$@"
                """
            let words = [
                "--map-root-user", "--mount", "sh", "-c", preparation, disk, Scene.products + "/tessera", "doctor",
                "--json", "--store", "file:\(disk)/sessions",
            ]
            let (bytes, status) = try await scene.start(words, program: "unshare").finish()
            let output = try DoctorOutput(CommandOutput(status: status, bytes: bytes, errors: ""))
            #expect(output.status == 7)
            #expect(output.findings("store") == ["storeUnwritable certain"], "\(output.words("store"))")
            #expect(output.text("store").contains("Free some space"), "\(output.text("store"))")
        }
    }

    /// Whether a test can mount a file system in its own mount namespace.
    private static func canMount() async -> Bool {
        let words = ["unshare", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"]
        return (try? await ChildProgram.run(words).status) == 0
    }
}

@Suite(
    "tessera doctor behind a proxy",
    .enabled(if: InterceptingProxy.missing == nil, Comment(rawValue: InterceptingProxy.missing ?? "")),
    .serialized
)
struct DoctorProxyTests {
    @Test("Names an intercepting proxy and sends nothing to an untrusted one")
    func intercepting() async throws {
        try await ProxyTests.play { scene in
            let authority = try #require(scene.provider.certificateAuthorityFile)
            try await InterceptingProxy.run(for: scene) { proxy in
                let direct = try await Self.doctor(scene, ["SSL_CERT_FILE": authority])
                #expect(direct.status == 0)
                #expect(direct.words("tls").contains("signed by “Tessera Local Provider, for this run only”"))

                let refused = try await Self.doctor(scene, ["SSL_CERT_FILE": authority, "HTTPS_PROXY": proxy.url()])
                #expect(refused.status == 5)
                #expect(refused.state("network") == "ok")
                #expect(refused.words("network").contains("through the proxy \(proxy.host):\(proxy.port)"))
                #expect(refused.findings("tls") == ["interceptedTLS likely"])
                #expect(refused.text("tls").contains("is signed by “mitmproxy”"), "\(refused.text("tls"))")
                #expect(try !proxy.lines().contains { !$0.hasPrefix("CONNECT") })

                let believed = try await Self.doctor(
                    scene,
                    ["SSL_CERT_FILE": proxy.authority, "HTTPS_PROXY": proxy.url()]
                )
                #expect(believed.status == 0)
                #expect(believed.words("tls").contains("signed by “mitmproxy”"), "\(believed.words("tls"))")
            }
        }
    }

    @Test("Reports an unreachable proxy and wrong credentials without the password")
    func unusable() async throws {
        try await ProxyTests.play { scene in
            let authority = try #require(scene.provider.certificateAuthorityFile)
            let gone = try await Self.doctor(
                scene,
                ["SSL_CERT_FILE": authority, "HTTPS_PROXY": "http://ada:wrongword@127.0.0.1:1"]
            )
            #expect(gone.status == 5)
            #expect(gone.state("network") == "problem")
            #expect(!(gone.words("network") + gone.text("network")).contains("wrongword"))
            try await InterceptingProxy.run(for: scene, "--credentials", "ada:password") { proxy in
                let wrong = try await Self.doctor(
                    scene,
                    ["SSL_CERT_FILE": authority, "HTTPS_PROXY": proxy.url(credentials: "ada:wrongword@")]
                )
                #expect(wrong.findings("network") == ["proxy certain"], "\(wrong.words("network"))")
            }
        }
    }

    private static func doctor(_ scene: Scene, _ network: [String: String]) async throws -> DoctorOutput {
        try DoctorOutput(
            try await scene.run(["doctor", "--json", "--issuer", scene.provider.issuer], environment: network)
        )
    }
}
