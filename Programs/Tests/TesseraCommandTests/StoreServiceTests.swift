// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms
internal import Testing
internal import TesseraJSON

@Suite("tessera store with a keyring and PostgreSQL")
struct StoreServiceTests {
    @Test(
        "Moves a session from files to the keyring and back",
        .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
    )
    func keyring() async throws {
        try await Scene.play { scene in
            try await KeyringSession.play { session in
                let bus = session.bus
                let search = ["secret-tool", "search", "--all", "xdg:schema", "dev.tessera.session"]
                try await Self.move(scene, "secret-service:", environment: bus) { isThere in
                    let found = try await session.run(search)
                    #expect(found.contains("ya29.") == isThere)
                }
            }
        }
    }

    @Test(
        "Moves a session from files to PostgreSQL and back",
        .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed")
    )
    func postgreSQL() async throws {
        try await Scene.play { scene in
            try await PostgreSQLInstance.with { server in
                try await Self.move(scene, server.url, called: server.location, hiding: server.password)
            }
        }
    }

    /// Signs in with files, moves the session to another store and back, and checks both stores after each move.
    private static func move(
        _ scene: Scene,
        _ other: String,
        called name: String? = nil,
        hiding password: String? = nil,
        environment: [String: String] = [:],
        _ witness: (_ isThere: Bool) async throws -> Void = { _ in }
    ) async throws {
        let files = "file:" + scene.store
        try await scene.login("--account", "work")
        #expect(try await Self.states(scene, other, environment) == [])
        for (from, to) in [(files, other), (other, files)] {
            let moved = try await scene.run("store", "copy", "--move", "--json", from, to, environment: environment)
            #expect(moved.status == 0, "\(moved.errors)")
            let report = try moved.json()
            #expect(report["to"]?.string == (to == other ? name ?? other : files))
            #expect(report["sessions"]?.elements?.compactMap { $0["outcome"]?.string } == ["copied"])
            #expect(report["removed"]?.bool == true)
            if let password { #expect(!(moved.text + moved.errors).contains(password)) }
            #expect(try await Self.states(scene, from, environment) == [])
            #expect(try await Self.states(scene, to, environment) == ["ok"])
            try await witness(to == other)
            #expect(try await scene.run("token", "--store", from, environment: environment).status == 6)
            #expect(try await scene.run("token", "--store", to, environment: environment).status == 0)
        }
    }

    /// Returns the state of each session according to `store check`.
    private static func states(
        _ scene: Scene,
        _ store: String,
        _ environment: [String: String]
    ) async throws -> [String] {
        let check = try await scene.run("store", "check", "--json", store, environment: environment)
        #expect(check.status == 0, "\(check.errors)")
        let report = try check.json()
        #expect(report["keepsSessions"]?.bool == true)
        return report["sessions"]?.elements?.compactMap { $0["state"]?.string } ?? []
    }
}
