// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite(
    "Secret Service store shared by processes",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceProcessTests {
    @Test("Loses no update of four concurrent processes", .covers(116))
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

    @Test("The program gets an error and keeps running when the session bus ends")
    func busEnds() async throws {
        try await KeyringSession.play { session in
            let probe = try Probe.start(on: session)
            probe.send("save\n")
            #expect(await probe.output.line() == "save: 1")
            await session.endBus()
            // GLib can exit a program that calls it after it has noticed the end of the bus.
            await probe.asleep()
            probe.send("load\nload\n")
            for _ in 0..<2 {
                let line = await probe.output.line()
                #expect(
                    line?.hasPrefix("load: unavailable, the session bus does not respond") == true,
                    "\(line ?? "it has ended")"
                )
            }
            probe.closeInput()
            _ = await probe.output.rest()
        }
    }

    @Test("Releases a lock within a second after its holder is killed", .covers(116))
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
            // Reading does not wait for the lock.
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
        "Holds the last record or the one before it after the program or the keyring is killed",
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
        "Leaves the session before or after a change when it is killed during sign-in or sign-out",
        .covers(115)
    )
    func signingOut() async throws {
        var seen: Set<Bool> = []
        try await Self.play("toggle", rounds: 25) { lines, loaded, round in
            // `in: N` or `out: N` is the last completed operation. The next one may have been in progress.
            guard let line = lines.last, let number = line.split(separator: " ").last.flatMap({ Int($0) }) else {
                return
            }
            let next = line.hasPrefix("in: ") ? number : number + 1
            #expect([0, next].contains(loaded), "\(line), loaded \(loaded), \(round)")
            seen.insert(loaded > 0)
        }
        #expect(seen == [true, false])
    }

    /// Repeatedly runs a probe command, kills the probe at a random moment, kills the keyring in about half of the
    /// rounds, and passes the probe's output and the stored generation (-1 for an error) to `judge`.
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
                var output = try await Probe.run("load", on: session)
                // The bus may still name the killed keyring.
                if output.first?.contains("unavailable") == true { output = try await Probe.run("load", on: session) }
                let loaded = output.first?.firstMatch(of: /load: (\d+)/).flatMap { Int($0.output.1) } ?? -1
                judge(lines, loaded, "\(output), round \(round), seed \(seed)")
            }
        }
    }

    @Test("Creates a file store's key once in the keyring for eight processes and detects its loss")
    func fileKey() async throws {
        try await KeyringSession.play { session in
            let folder = session.home + "/files"
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask { try await Probe.run("files \(folder) \(index)", on: session) }
                }
                for try await lines in group { #expect(lines == ["files: 0"]) }
            }
            for index in 0..<8 {
                #expect(try await Probe.run("files \(folder) \(index)", on: session) == ["files: 1"])
            }
            #expect(!FileManager.default.fileExists(atPath: session.home + "/config/tessera/keys"))
            let key = try await session.run(["secret-tool", "lookup", "xdg:schema", "dev.tessera.key"])
            #expect(key.trimmingCharacters(in: .whitespacesAndNewlines).count == 64)
            try session.replace(.locked)
            #expect(try await Probe.responses("files: locked, ", to: "files \(folder) 1", on: session))
            try session.replace(.unlocked)
            _ = try await session.run(["secret-tool", "clear", "xdg:schema", "dev.tessera.key"])
            #expect(try await Probe.responses("files: keyMissing, ", to: "files \(folder) 1", on: session))
            #expect(try await Probe.responses("files: keyMissing, ", to: "files \(folder) new", on: session))
            let none = try await session.run(["secret-tool", "lookup", "xdg:schema", "dev.tessera.key"])
            #expect(none.isEmpty)
        }
    }
}
