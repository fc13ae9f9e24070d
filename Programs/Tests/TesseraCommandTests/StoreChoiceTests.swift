// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing
internal import TesseraJSON

@Suite("Selection of the store")
struct StoreChoiceTests {
    @Test("Chooses encrypted files without a keyring, and saves the choice")
    func files() async throws {
        try await Scene.play { scene in
            let first = try await scene.login()
            #expect(first.status == 0)
            #expect(
                first.errors.contains("tessera: Sessions are stored in file:\(scene.store) from now on; the keyring")
            )
            #expect(first.errors.contains("there is no session bus"))
            #expect(try Self.record(scene) == "file:\(scene.store)\n")
            let mode = try FileManager.default.attributesOfItem(atPath: Self.location(scene))[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600)
            let second = try await scene.login()
            #expect(!second.errors.contains("from now on"))
        }
    }

    @Test("Uses a named store for one call and saves no choice")
    func named() async throws {
        try await Scene.play { scene in
            let other = "file:\(scene.home)/other"
            let login = try await Self.login(scene, "--store", other)
            #expect(login == 0)
            #expect(try await Self.status(scene, "token") == 6)
            #expect(try await Self.status(scene, "token", environment: ["TESSERA_STORE": other]) == 0)
            #expect(!FileManager.default.fileExists(atPath: Self.location(scene)))
            #expect(try await Self.login(scene, "--store", "secret-service:") == 7)
            #expect(try await Self.login(scene, "--store", "secret-service:x") == 2)
        }
    }

    @Test(
        "Chooses the keyring and does not switch to another store while it is locked",
        .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
    )
    func keyring() async throws {
        try await Scene.play { scene in
            try await KeyringSession.play { session in
                let bus = session.bus
                func login() async throws -> CommandOutput {
                    try await scene.run(
                        [
                            "login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk(),
                        ],
                        environment: bus
                    )
                }
                let first = try await login()
                #expect(first.status == 0)
                #expect(first.errors.contains("tessera: Sessions are stored in secret-service: from now on."))
                #expect(first.text.contains("Stored in"))
                #expect(try Self.record(scene) == "secret-service:\n")
                #expect(!FileManager.default.fileExists(atPath: scene.store))
                let token = try await scene.run("token", environment: bus)
                #expect(token.text.hasPrefix("ya29."))
                let status = try await scene.run("status", environment: bus)
                #expect(status.text.contains("secret-service:"))
                let stored = try await session.run([
                    "secret-tool", "search", "--all", "xdg:schema", "dev.tessera.session",
                ])
                #expect(stored.contains("ya29."))
                // Calls fail without the bus, and with a locked keyring.
                let without = try await scene.run("token", "--json")
                #expect(without.status == 7)
                #expect(try without.json()["error"]?["code"]?.string == "unavailable")
                try session.replace(.locked)
                for arguments in [["token"], ["status"], ["accounts"]] {
                    let output = try await scene.run(arguments, environment: bus)
                    #expect(output.status == 7)
                    #expect(output.errors.hasPrefix("tessera: The keyring is locked (Secret Service)"))
                }
                let refused = try await login()
                #expect(refused.status == 7)
                #expect(!FileManager.default.fileExists(atPath: scene.store))
                try session.replace(.unlocked)
                #expect(try await Self.status(scene, "token", environment: bus) == 0)
                #expect(try await Self.status(scene, "logout", environment: bus) == 0)
            }
        }
    }

    @Test(
        "Prints a token from encrypted files without the session bus",
        .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
    )
    func silence() async throws {
        try await Scene.play { scene in
            try await scene.login()
            try await KeyringSession.play(.silent) { session in
                let bus = session.environment.filter { $0.key == "DBUS_SESSION_BUS_ADDRESS" }
                for command in ["token", "status", "accounts"] {
                    let status = try await Self.status(scene, command, environment: bus)
                    #expect(status == 0)
                }
                // The bus would start the keyring at the first call.
                #expect(!FileManager.default.fileExists(atPath: session.home + "/pid"))
            }
        }
    }

    @Test(
        "Keeps using existing encrypted files if a keyring is available",
        .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
    )
    func existing() async throws {
        try await Scene.play { scene in
            try await scene.login()
            try FileManager.default.removeItem(atPath: Self.location(scene))
            try await KeyringSession.play { session in
                let output = try await scene.run(
                    ["login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()],
                    environment: session.environment.filter { $0.key == "DBUS_SESSION_BUS_ADDRESS" }
                )
                #expect(output.errors.contains("tessera: Sessions are stored in file:\(scene.store) from now on."))
                #expect(try Self.record(scene) == "file:\(scene.store)\n")
            }
        }
    }

    @Test("Rejects a saved choice that is invalid or writable by other users")
    func damaged() async throws {
        try await Scene.play { scene in
            try await scene.login()
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: Self.location(scene))
            let error = try await scene.run("token", "--json").json()["error"]
            #expect(error?["code"]?.string == "permissionDenied")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: Self.location(scene))
            for text in ["", "\n", "file:/a\nfile:/b\n", "file:/a", "nonsense:\n"] {
                try Data(text.utf8).write(to: URL(filePath: Self.location(scene)))
                for arguments in [["token"], ["accounts"]] {
                    #expect(try await Self.status(scene, arguments[0]) == 7, "\(text)")
                }
                #expect(try await Self.login(scene) == 7, "\(text)")
                #expect(try Self.record(scene) == text)
            }
        }
    }

    private static func login(_ scene: Scene, _ arguments: String...) async throws -> Int32 {
        let usual = ["login", "--client", scene.clientFile, "--allow-loopback-http", "--browser", Scene.walk()]
        return try await scene.run(usual + arguments).status
    }

    private static func status(
        _ scene: Scene,
        _ command: String,
        environment: [String: String] = [:]
    ) async throws -> Int32 {
        try await scene.run(command, environment: environment).status
    }

    private static func location(_ scene: Scene) -> String { scene.home + "/config/tessera/store" }

    private static func record(_ scene: Scene) throws -> String {
        try String(contentsOfFile: Self.location(scene), encoding: .utf8)
    }
}
