// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Testing

@Suite("The directories of a user's files")
struct UserPlacesTests {
    @Test("Are in Application Support on Apple platforms, locks and keys included")
    func library() {
        let places = UserPlaces(layout: .library, home: "/container")
        let support = "/container/Library/Application Support/tessera"
        #expect(places.keyDirectory == support + "/keys")
        #expect(places.lockDirectory == support + "/locks")
        #expect(places.chosenStore == support + "/store")
        #expect(places.sessionDirectory == support + "/sessions")
        #expect(places.itemDirectory == support + "/items")
        #expect(places.agentSocket == support + "/run/agent.sock")
        #expect(places.cacheDirectory == "/container/Library/Caches/tessera")
    }

    @Test("Are in Caches on tvOS, where nothing else is certain to be writable")
    func caches() {
        let places = UserPlaces(layout: .caches, home: "/container")
        #expect(places.lockDirectory == "/container/Library/Caches/tessera/locks")
        #expect(places.keyDirectory == "/container/Library/Caches/tessera/keys")
    }

    /// Runs `body` with a home directory, and functions that give paths below its two places and create a file there.
    private static func atHome(
        _ body: (_ places: UserPlaces, _ earlier: String, _ support: String, _ create: (String) throws -> Void) throws
            -> Void
    ) throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let places = UserPlaces(layout: .library, home: home)
        try body(places, home + "/.config/tessera", home + "/Library/Application Support/tessera") { path in
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data().write(to: url)
        }
    }

    @Test("What an earlier version made in ~/.config on a Mac stays in use, each thing for itself")
    func earlierVersion() throws {
        try Self.atHome { places, earlier, support, create in
            #expect(places.keyDirectory == support + "/keys")
            try create(earlier + "/keys/file-store.key")
            #expect(places.keyDirectory == earlier + "/keys")
            #expect(places.lockDirectory == support + "/locks")
            #expect(places.chosenStore == support + "/store")
            try create(earlier + "/locks/account.lock")
            try create(earlier + "/store")
            try create(earlier + "/run/agent.audit")
            #expect(places.lockDirectory == earlier + "/locks")
            #expect(places.chosenStore == earlier + "/store")
            #expect(places.agentSocket == earlier + "/run/agent.sock")
            #expect(places.sessionDirectory == support + "/sessions")
        }
    }

    @Test("A ~/.config/tessera that appears later moves no key, no choice and no locks on a Mac")
    func laterConfiguration() throws {
        try Self.atHome { places, earlier, support, create in
            for name in ["/keys/file-store.key", "/store", "/locks/account.lock"] { try create(support + name) }
            try create(earlier + "/unrelated")
            try create(earlier + "/keys/other")
            #expect(places.keyDirectory == support + "/keys")
            #expect(places.chosenStore == support + "/store")
            #expect(places.lockDirectory == support + "/locks")
            // Where both have a key, sessions are sealed with the present one.
            try create(earlier + "/keys/file-store.key")
            #expect(places.keyDirectory == support + "/keys")
        }
    }

    @Test("Follow the XDG variables on Linux, which mean nothing for an app's container")
    func variables() {
        let variables = ["XDG_CONFIG_HOME": "/config", "XDG_DATA_HOME": "/data", "XDG_RUNTIME_DIR": "/runtime"]
        let linux = UserPlaces(layout: .xdg, home: "/home/ada") { variables[$0] }
        #expect(linux.keyDirectory == "/config/tessera/keys")
        #expect(linux.sessionDirectory == "/data/tessera/sessions")
        #expect(linux.lockDirectory == "/runtime/tessera/locks")
        let app = UserPlaces(layout: .library, home: "/container") { variables[$0] }
        #expect(app.lockDirectory == "/container/Library/Application Support/tessera/locks")
    }

    @Test("Command-line programs on a Mac reach the agent by XDG_RUNTIME_DIR as before; the locks are the apps', too")
    func runtimeDirectory() throws {
        let runtime = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: runtime) }
        let program = UserPlaces(layout: .library, home: "/home") { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }
        let support = "/home/Library/Application Support/tessera"
        #expect(program.agentSocket == support + "/run/agent.sock")
        try FileManager.default.createDirectory(
            atPath: runtime,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        #expect(program.agentSocket == runtime + "/tessera/agent.sock")
        #expect(program.lockDirectory == support + "/locks")
    }

    @Test("Are unknown without a home directory")
    func homeless() {
        let places = UserPlaces(layout: .library, home: nil)
        #expect(places.sessionDirectory == nil)
        #expect(places.keyDirectory == "")
        #expect(places.lockDirectory == "")
    }
}
