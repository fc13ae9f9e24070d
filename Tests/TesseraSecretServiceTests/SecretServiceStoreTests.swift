// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite(
    "The Secret Service store at a real gnome-keyring",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceStoreTests {
    @Test("The store keeps the contract", .covers(115), arguments: SessionStoreContract.all.indices)
    func contract(index: Int) async throws {
        try await KeyringSession.play { session in
            let said = try await Probe.run("contract \(index)", on: session)
            #expect(said == ["contract: kept"], "\(SessionStoreContract.all[index])")
        }
    }

    @Test("A session shows in the keyring's list with its account and a name, and secret-tool finds it")
    func visible() async throws {
        try await KeyringSession.play { session in
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            let found = try await session.run([
                "sh", "-c", "secret-tool search --all xdg:schema dev.tessera.session 2>&1",
            ])
            #expect(found.contains("label = Tessera: work at https://accounts.example\n"))
            #expect(found.contains("attribute.issuer = https://accounts.example\n"))
            #expect(found.contains("attribute.client = client\n"))
            #expect(found.contains("attribute.subject = ada\n"))
            #expect(found.contains("secret = tessera 1\n{\"format\":1,"))
            #expect(found.components(separatedBy: "label = ").count == 2)
            #expect(try await Probe.run("remove", "list", on: session) == ["remove: done", "list: 0"])
            let nothing = try await session.run(["secret-tool", "search", "--all", "xdg:schema", "dev.tessera.session"])
            #expect(nothing.isEmpty)
        }
    }

    @Test("A locked keyring says so, to every call, and is never taken for an empty one")
    func locked() async throws {
        try await KeyringSession.play { session in
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            try session.replace(.locked)
            for line in try await Probe.run("load", "list", "save", "mark", "probe", "remove", on: session) {
                #expect(line.contains(": locked, its collection is locked"), "\(line)")
            }
            try session.replace(.unlocked)
            #expect(try await Probe.run("load", "list", on: session) == ["load: 1", "list: 1"])
        }
    }

    @Test("A locked keyring without any session of ours says that it is locked, too")
    func lockedAndEmpty() async throws {
        try await KeyringSession.play { session in
            // The keyring is made, and holds nothing.
            #expect(try await Probe.run("list", on: session) == ["list: 0"])
            try session.replace(.locked)
            for line in try await Probe.run("load", "list", "save", on: session) {
                #expect(line.contains(": locked, "), "\(line)")
            }
        }
    }

    @Test("Without libsecret, a bus or a keyring the store is unavailable, and says which and what to do")
    func missing() async throws {
        try await KeyringSession.play(nil) { session in
            for line in try await Probe.run("load", "probe", on: session, options: ["libsecret-none.so"]) {
                #expect(line.contains(": unavailable, libsecret cannot be opened; the Debian package libsecret-1-0"))
                #expect(line.contains("libsecret-none.so"))
            }
            for line in try await Probe.run("load", "probe", on: session, options: ["libc.so.6"]) {
                #expect(line.contains("libc.so.6 has no "))
            }
            for line in try await Probe.run("load", "list", "save", "probe", on: session) {
                #expect(line.contains(": unavailable, no keyring runs"), "\(line)")
            }
            let noBus = ["DBUS_SESSION_BUS_ADDRESS": ""]
            for line in try await Probe.run("load", "probe", on: session, environment: noBus) {
                #expect(line.contains(": unavailable, there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set"))
            }
            for address in ["unix:path=/nowhere", "nonsense", "tcp:host=127.0.0.1,port=1"] {
                let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
                for line in try await Probe.run("load", "probe", on: session, environment: environment) {
                    #expect(line.contains(": unavailable, no session bus answers: "), "\(line)")
                }
            }
        }
    }

    @Test("What the library says about itself cannot drive a terminal", .covers(131))
    func printableWords() async throws {
        try await KeyringSession.play { session in
            let library = "evil\u{1B}]0;title\u{7}\u{202E}.so"
            let said = try await Probe.run("load", on: session, options: [library])
            try #require(said.count == 1)
            #expect(said[0].hasPrefix("load: unavailable, "))
            #expect(said[0].contains("evil"))
            #expect(!said[0].unicodeScalars.contains { ["\u{1B}", "\u{7}", "\u{202E}"].contains($0) })
        }
    }

    @Test("A keyring that cannot be started is unavailable; one that never answers is given up in time")
    func unwell() async throws {
        try await KeyringSession.play(.broken) { session in
            let isMissed = try await Probe.answers("load: unavailable, no keyring runs", to: "load", on: session)
            #expect(isMissed)
        }
        try await KeyringSession.play(.silent) { session in
            let said = try await Probe.run("load", on: session, options: ["libsecret-1.so.0", "300"])
            #expect(said == ["load: unavailable, it did not answer in time"])
        }
        try await KeyringSession.play { session in
            let probe = try Probe.start(on: session, options: ["libsecret-1.so.0", "500"])
            probe.send("save\n")
            #expect(await probe.output.line() == "save: 1")
            session.signalKeyring(SIGSTOP)
            probe.send("load\n")
            #expect(await probe.output.line() == "load: unavailable, it did not answer in time")
            session.signalKeyring(SIGCONT)
            probe.send("load\n")
            #expect(await probe.output.line() == "load: 1")
            probe.closeInput()
            _ = await probe.output.rest()
        }
    }

    @Test("A keyring that is started again is found again, and has what was saved; so is its mark")
    func restarted() async throws {
        try await KeyringSession.play { session in
            let probe = try Probe.start(on: session)
            for round in 1...5 {
                probe.send("save\nmark\n")
                #expect(await probe.output.line { $0.hasPrefix("save") } == "save: \(round)")
                #expect(await probe.output.line { $0.hasPrefix("mark") } == "mark: done")
                session.killKeyring()
                probe.send("load\n")
                #expect(await probe.output.line { $0.hasPrefix("load") } == "load: \(round) marked")
            }
            probe.closeInput()
            _ = await probe.output.rest()
        }
    }

    @Test("Of one account's items in two collections the newest counts, and the next save leaves one")
    func twice() async throws {
        try await KeyringSession.play { session in
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            let listed = try await session.run([
                "sh", "-c", "secret-tool search --all xdg:schema dev.tessera.session 2>&1",
            ])
            let key = try #require(listed.firstMatch(of: /attribute\.account = ([0-9a-f]{64})/)).output.1
            let old = try await session.run(["secret-tool", "lookup", "account", "\(key)"])
            #expect(try await Probe.run("save", on: session) == ["save: 2"])
            _ = try await session.run(
                [
                    "secret-tool", "store", "--collection=session", "--label=x", "xdg:schema", "dev.tessera.session",
                    "account", "\(key)", "issuer", "https://accounts.example", "client", "client", "subject", "ada",
                ],
                input: old
            )
            #expect(try await Self.count(session) == 2)
            #expect(try await Probe.run("load", "list", "save", on: session) == ["load: 2", "list: 1", "save: 3"])
            #expect(try await Self.count(session) == 1)
            #expect(try await Probe.run("load", "remove", on: session) == ["load: 3", "remove: done"])
            #expect(try await Self.count(session) == 0)
        }
    }

    private static func count(_ session: KeyringSession) async throws -> Int {
        let found = try await session.run(["secret-tool", "search", "--all", "xdg:schema", "dev.tessera.session"])
        return found.components(separatedBy: "secret = ").count - 1
    }

    @Test("An account with a zero byte is refused, and GLib leaves the program's signals as they were")
    func oddities() async throws {
        try await KeyringSession.play { session in
            let said = try await Probe.run("pipe", "zero", "save", "pipe", on: session)
            #expect(said.count == 4)
            #expect(said[1].hasPrefix("zero: system, an account whose name holds a zero byte"))
            // Whoever started the program may have changed it before.
            #expect(said[0].hasPrefix("pipe: "))
            #expect(said[3] == said[0])
        }
    }
}
