// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite(
    "Secret Service store with a real gnome-keyring",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceStoreTests {
    @Test("Fulfills the contract with a real gnome-keyring", .covers(115), arguments: SessionStoreContract.all.indices)
    func contract(index: Int) async throws {
        try await KeyringSession.play { session in
            let output = try await Probe.run("contract \(index)", on: session)
            #expect(output == ["contract: fulfilled"], "\(SessionStoreContract.all[index])")
        }
    }

    @Test("secret-tool finds a session with its account and label")
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

    @Test("Reports a locked keyring for every operation and never treats it as empty")
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

    @Test("Reports a locked keyring even if it contains no sessions")
    func lockedAndEmpty() async throws {
        try await KeyringSession.play { session in
            // The keyring is created and remains empty.
            #expect(try await Probe.run("list", on: session) == ["list: 0"])
            try session.replace(.locked)
            for line in try await Probe.run("load", "list", "save", on: session) {
                #expect(line.contains(": locked, "), "\(line)")
            }
        }
    }

    @Test("Reports a missing libsecret, bus or keyring as unavailable and suggests a fix")
    func missing() async throws {
        try await KeyringSession.play(nil) { session in
            for line in try await Probe.run("load", "probe", on: session, options: ["libsecret-none.so"]) {
                #expect(line.contains(": unavailable, libsecret cannot be loaded"))
                #expect(line.contains("on Debian, install the libsecret-1-0 package"))
                #expect(line.contains("libsecret-none.so"))
            }
            for line in try await Probe.run("load", "probe", on: session, options: ["libc.so.6"]) {
                #expect(line.contains("libc.so.6 has no "))
            }
            for line in try await Probe.run("load", "list", "save", "probe", on: session) {
                #expect(line.contains(": unavailable, no keyring is running"), "\(line)")
            }
            let noBus = ["DBUS_SESSION_BUS_ADDRESS": ""]
            for line in try await Probe.run("load", "probe", on: session, environment: noBus) {
                #expect(line.contains(": unavailable, there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set"))
            }
            for address in ["unix:path=/nowhere", "nonsense", "tcp:host=127.0.0.1,port=1"] {
                let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
                for line in try await Probe.run("load", "probe", on: session, environment: environment) {
                    #expect(line.contains(": unavailable, the session bus does not respond: "), "\(line)")
                }
            }
        }
    }

    @Test("Escapes control characters in the library's error messages", .covers(131))
    func printableWords() async throws {
        try await KeyringSession.play { session in
            let library = "evil\u{1B}]0;title\u{7}\u{202E}.so"
            let output = try await Probe.run("load", on: session, options: [library])
            try #require(output.count == 1)
            #expect(output[0].hasPrefix("load: unavailable, "))
            #expect(output[0].contains("evil"))
            #expect(!output[0].unicodeScalars.contains { ["\u{1B}", "\u{7}", "\u{202E}"].contains($0) })
        }
    }

    @Test("Reports a broken keyring as unavailable and times out for one that does not respond")
    func unresponsive() async throws {
        try await KeyringSession.play(.broken) { session in
            let isReported = try await Probe.responses(
                "load: unavailable, no keyring is running",
                to: "load",
                on: session
            )
            #expect(isReported)
        }
        try await KeyringSession.play(.silent) { session in
            let output = try await Probe.run("load", on: session, options: ["libsecret-1.so.0", "300"])
            #expect(output == ["load: unavailable, it did not respond in time"])
        }
        try await KeyringSession.play { session in
            let probe = try Probe.start(on: session, options: ["libsecret-1.so.0", "500"])
            probe.send("save\n")
            #expect(await probe.output.line() == "save: 1")
            session.signalKeyring(SIGSTOP)
            probe.send("load\n")
            #expect(await probe.output.line() == "load: unavailable, it did not respond in time")
            session.signalKeyring(SIGCONT)
            probe.send("load\n")
            #expect(await probe.output.line() == "load: 1")
            probe.closeInput()
            _ = await probe.output.rest()
        }
    }

    @Test("Finds a restarted keyring with the saved records and refresh marks")
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

    @Test("Loads the newest of an account's items in two collections, and the next save leaves one")
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

    @Test("Rejects an account with a zero byte, and GLib leaves the program's signal handlers unchanged")
    func oddities() async throws {
        try await KeyringSession.play { session in
            let output = try await Probe.run("pipe", "zero", "save", "pipe", on: session)
            #expect(output.count == 4)
            #expect(output[1].hasPrefix("zero: system, it cannot store an account with a zero byte"))
            // The parent process may have changed the signal handlers.
            #expect(output[0].hasPrefix("pipe: "))
            #expect(output[3] == output[0])
        }
    }
}
