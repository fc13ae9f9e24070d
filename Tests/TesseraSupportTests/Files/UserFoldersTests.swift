// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Testing

@Suite("Directories of a user's files")
struct UserFoldersTests {
    @Test("Uses Application Support on Apple platforms, including locks and keys")
    func library() {
        let folders = UserFolders(layout: .library, home: "/container")
        let support = "/container/Library/Application Support/tessera"
        #expect(folders.keyDirectory == support + "/keys")
        #expect(folders.lockDirectory == support + "/locks")
        #expect(folders.chosenStore == support + "/store")
        #expect(folders.sessionDirectory == support + "/sessions")
        #expect(folders.itemDirectory == support + "/items")
        #expect(folders.agentSocket == support + "/run/agent.sock")
        #expect(folders.cacheDirectory == "/container/Library/Caches/tessera")
    }

    @Test("Uses Caches on tvOS, where no other directory is guaranteed to be writable")
    func caches() {
        let folders = UserFolders(layout: .caches, home: "/container")
        #expect(folders.lockDirectory == "/container/Library/Caches/tessera/locks")
        #expect(folders.keyDirectory == "/container/Library/Caches/tessera/keys")
    }

    /// Runs `body` in a home directory and passes the user's folders, the old and the new base path, and a function
    /// that creates a file.
    private static func atHome(
        _ body: (_ folders: UserFolders, _ earlier: String, _ support: String, _ create: (String) throws -> Void) throws
            -> Void
    ) throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let folders = UserFolders(layout: .library, home: home)
        try body(folders, home + "/.config/tessera", home + "/Library/Application Support/tessera") { path in
            let url = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data().write(to: url)
        }
    }

    @Test("Continues to use each file that an earlier version created in ~/.config on macOS")
    func earlierVersion() throws {
        try Self.atHome { folders, earlier, support, create in
            #expect(folders.keyDirectory == support + "/keys")
            try create(earlier + "/keys/file-store.key")
            #expect(folders.keyDirectory == earlier + "/keys")
            #expect(folders.lockDirectory == support + "/locks")
            #expect(folders.chosenStore == support + "/store")
            try create(earlier + "/locks/account.lock")
            try create(earlier + "/store")
            try create(earlier + "/run/agent.audit")
            #expect(folders.lockDirectory == earlier + "/locks")
            #expect(folders.chosenStore == earlier + "/store")
            #expect(folders.agentSocket == earlier + "/run/agent.sock")
            #expect(folders.sessionDirectory == support + "/sessions")
        }
    }

    @Test("Does not move keys, the selected store or locks if ~/.config/tessera appears later on macOS")
    func laterConfiguration() throws {
        try Self.atHome { folders, earlier, support, create in
            for name in ["/keys/file-store.key", "/store", "/locks/account.lock"] { try create(support + name) }
            try create(earlier + "/unrelated")
            try create(earlier + "/keys/other")
            #expect(folders.keyDirectory == support + "/keys")
            #expect(folders.chosenStore == support + "/store")
            #expect(folders.lockDirectory == support + "/locks")
            // If both directories contain a key, sessions are sealed with the current one.
            try create(earlier + "/keys/file-store.key")
            #expect(folders.keyDirectory == support + "/keys")
        }
    }

    @Test("Follows the XDG variables on Linux and ignores them for an app's container")
    func variables() {
        let variables = ["XDG_CONFIG_HOME": "/config", "XDG_DATA_HOME": "/data", "XDG_RUNTIME_DIR": "/runtime"]
        let linux = UserFolders(layout: .xdg, home: "/home/ada") { variables[$0] }
        #expect(linux.keyDirectory == "/config/tessera/keys")
        #expect(linux.sessionDirectory == "/data/tessera/sessions")
        #expect(linux.lockDirectory == "/runtime/tessera/locks")
        let app = UserFolders(layout: .library, home: "/container") { variables[$0] }
        #expect(app.lockDirectory == "/container/Library/Application Support/tessera/locks")
    }

    @Test("Uses XDG_RUNTIME_DIR on macOS for the agent's socket but not for locks shared with apps")
    func runtimeDirectory() throws {
        let runtime = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: runtime) }
        let program = UserFolders(layout: .library, home: "/home") { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }
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

    @Test("Returns no paths without a home directory")
    func missingHome() {
        let folders = UserFolders(layout: .library, home: nil)
        #expect(folders.sessionDirectory == nil)
        #expect(folders.keyDirectory == "")
        #expect(folders.lockDirectory == "")
    }
}
