// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
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

    @Test("Keys and locks stay in ~/.config on a Mac where an earlier version made it; sessions were never there")
    func earlierVersion() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: home) }
        let places = UserPlaces(layout: .library, home: home.path)
        #expect(places.keyDirectory == home.path + "/Library/Application Support/tessera/keys")
        let earlier = home.appending(path: ".config/tessera")
        try FileManager.default.createDirectory(at: earlier, withIntermediateDirectories: true)
        #expect(places.keyDirectory == earlier.path + "/keys")
        #expect(places.lockDirectory == earlier.path + "/locks")
        #expect(places.sessionDirectory == home.path + "/Library/Application Support/tessera/sessions")
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

    @Test("Are unknown without a home directory")
    func homeless() {
        let places = UserPlaces(layout: .library, home: nil)
        #expect(places.sessionDirectory == nil)
        #expect(places.keyDirectory == "" && places.lockDirectory == "")
    }
}
