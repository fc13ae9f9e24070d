// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite(
    "The Secret Service store among processes",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceProcessTests {
    @Test("Four processes add up: no update is lost", .covers(116))
    func increments() async throws {
        try await KeyringSession.play { session in
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { try await Probe.run("increment 15", on: session) }
                }
                for try await lines in group { #expect(lines.allSatisfy { $0.firstMatch(of: /^save: \d+$/) != nil }) }
            }
            #expect(try await Probe.run("load", on: session) == ["load: 60"])
        }
    }

    @Test("When the bus ends, the program does not: it has an error instead")
    func busEnds() async throws {
        try await KeyringSession.play { session in
            let probe = try Probe.start(on: session)
            probe.send("save\n")
            #expect(await probe.output.line() == "save: 1")
            await session.endBus()
            // GLib ends a program when it has seen the end of the bus, and is called after that.
            try await Task.sleep(for: .milliseconds(300))
            probe.send("load\nload\n")
            for _ in 0..<2 {
                let line = await probe.output.line()
                #expect(
                    line?.hasPrefix("load: unavailable, no session bus answers") == true,
                    "\(line ?? "it has ended")"
                )
            }
            probe.closeInput()
            _ = await probe.output.rest()
        }
    }

    @Test("A lock whose holder is killed is free within a second", .covers(116))
    func holder() async throws {
        try await KeyringSession.play { session in
            let holder = try Probe.start(on: session)
            holder.send("hold\n")
            #expect(await holder.output.line() == "held")
            let locks = try FileManager.default.contentsOfDirectory(atPath: session.home + "/run/tessera/locks")
            #expect(locks.count == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: session.home + "/run/tessera/locks")
            #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            let waiting = try Probe.start(on: session)
            waiting.send("load\nsave\n")
            // Reading does not wait for it.
            #expect(await waiting.output.line() == "load: 0")
            let killed = ContinuousClock.now
            await holder.kill()
            #expect(await waiting.output.line() == "save: 1")
            #expect(killed.duration(to: .now) < .seconds(1))
            waiting.closeInput()
            _ = await waiting.output.rest()
            holder.closeInput()
        }
    }

    @Test(
        "Program or keyring killed at random moments, the store holds the last record or the one before it",
        .covers(115),
        .shows(claims: 3)
    )
    func killed() async throws {
        var generation = 0
        try await Self.play("churn", rounds: 40) { lines, loaded, round in
            let saved = lines.compactMap { Int($0.dropFirst("save: ".count)) }.last ?? generation
            #expect([saved, saved + 1].contains(loaded), "saved \(saved), loaded \(loaded), \(round)")
            generation = loaded
        }
        #expect(generation > 0)
    }

    @Test(
        "Killed in the middle of a sign-in or a sign-out, it leaves the session as it was before or after",
        .covers(115)
    )
    func signingOut() async throws {
        var seen: Set<Bool> = []
        try await Self.play("comings", rounds: 25) { lines, loaded, round in
            // «in: N» or «out: N» is the last thing that was done; the other may have been under way.
            guard let line = lines.last, let number = line.split(separator: " ").last.flatMap({ Int($0) }) else {
                return
            }
            let next = line.hasPrefix("in: ") ? number : number + 1
            #expect([0, next].contains(loaded), "\(line), loaded \(loaded), \(round)")
            seen.insert(loaded > 0)
        }
        #expect(seen == [true, false])
    }

    /// Lets a probe do what `verb` says, kills it, and the keyring every other time, at a random moment, and shows what it
    /// had said and the generation that is there then, -1 for an error; again and again.
    private static func play(
        _ verb: String,
        rounds: Int,
        _ judge: (_ lines: [String], _ loaded: Int, _ round: String) -> Void
    ) async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        try await KeyringSession.play { session in
            for round in 0..<Repetitions.count("TESSERA_KILLS", default: rounds) {
                let bytes = random.next(3)
                let probe = try Probe.start(on: session)
                probe.send(verb + "\n")
                let first = await probe.output.line()
                try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 2))
                if bytes[2] % 2 == 0 { session.killKeyring() }
                await probe.kill()
                probe.closeInput()
                let lines = [first ?? ""] + (await probe.output.lines())
                var said = try await Probe.run("load", on: session)
                // The bus may still name the keyring that was killed.
                if said.first?.contains("unavailable") == true { said = try await Probe.run("load", on: session) }
                let loaded = said.first?.firstMatch(of: /load: (\d+)/).flatMap { Int($0.output.1) } ?? -1
                judge(lines, loaded, "\(said), round \(round), seed \(seed)")
            }
        }
    }

    @Test("A file store's key lies in the keyring: made once by eight processes, and missed when it is gone")
    func fileKey() async throws {
        try await KeyringSession.play { session in
            let folder = session.home + "/files"
            try await withThrowingTaskGroup { group in
                for person in 0..<8 {
                    group.addTask { try await Probe.run("files \(folder) \(person)", on: session) }
                }
                for try await lines in group { #expect(lines == ["files: 0"]) }
            }
            for person in 0..<8 {
                #expect(try await Probe.run("files \(folder) \(person)", on: session) == ["files: 1"])
            }
            #expect(!FileManager.default.fileExists(atPath: session.home + "/config/tessera/keys"))
            let key = try await session.run(["secret-tool", "lookup", "xdg:schema", "dev.tessera.key"])
            #expect(key.trimmingCharacters(in: .whitespacesAndNewlines).count == 64)
            try session.replace(.locked)
            #expect(try await Probe.answers("files: locked, ", to: "files \(folder) 1", on: session))
            try session.replace(.unlocked)
            _ = try await session.run(["secret-tool", "clear", "xdg:schema", "dev.tessera.key"])
            #expect(try await Probe.answers("files: keyMissing, ", to: "files \(folder) 1", on: session))
            #expect(try await Probe.answers("files: keyMissing, ", to: "files \(folder) new", on: session))
            let none = try await session.run(["secret-tool", "lookup", "xdg:schema", "dev.tessera.key"])
            #expect(none.isEmpty)
        }
    }
}
