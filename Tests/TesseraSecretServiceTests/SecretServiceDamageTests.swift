// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "A session in a real gnome-keyring that somebody changed",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceDamageTests {
    /// The attribute by which Ada's item is found.
    private static let key = "5af93b1bd6fca31a7c797a8c589452f54fad73819c3c396695d3cde0e979a445"

    /// Puts a text into Ada's item.
    private static func put(_ text: String, _ session: KeyringSession) async throws {
        _ = try await session.run(
            [
                "secret-tool", "store", "--label=x", "xdg:schema", "dev.tessera.session", "account", Self.key,
                "issuer", "https://accounts.example", "client", "client", "subject", "ada",
            ],
            input: text
        )
    }

    private static func text(_ session: KeyringSession) async throws -> String {
        try await session.run(["secret-tool", "lookup", "account", Self.key])
    }

    @Test(
        "A byte changed, or the end cut off, is an error; nothing is written, and the other accounts load",
        .covers(119)
    )
    func bytes() async throws {
        try await KeyringSession.play { session in
            let before = try await Probe.run("save", "mark", "save bob", on: session)
            #expect(before == ["save: 1", "mark: done", "save: 1"])
            let whole = try await Self.text(session)
            let bytes = Array(whole.utf8)
            try #require(bytes.count > 200)
            // In the format, in the mark, in the record, in the digest.
            var damages = [8, 20, bytes.count / 2, bytes.count - 1]
                .map { index in
                    var bytes = bytes
                    bytes[index] ^= 1
                    return bytes
                }
            damages += [Array(bytes.dropLast()), Array(bytes.prefix(bytes.count / 2))]
            for damage in damages {
                let damaged = String(decoding: damage, as: UTF8.self)
                try await Self.put(damaged, session)
                let said = try await Probe.run("load", "mark", "load bob", "list", on: session)
                try #require(said.count == 4)
                #expect(said[0].hasPrefix("load: corrupt, "))
                #expect(said[1].hasPrefix("mark: corrupt, "))
                #expect(said[2...] == ["load: 1", "list: 2"])
                #expect(try await Self.text(session) == damaged)
            }
            try await Self.put(whole, session)
            #expect(try await Probe.run("load", on: session) == ["load: 1 marked"])
        }
    }

    @Test("What somebody else put into an item is damaged, never nobody's session; and it can be removed", .covers(119))
    func nonsense() async throws {
        try await KeyringSession.play { session in
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            let digest = "1cf4067d68d537c88f8af0f47206c2f15b2f54aadcd34f7adc27b7d07f4412ac"
            for text in ["nonsense", "refresh x y\n{}", "{\"format\":1}", "tessera x\n{}\n" + digest] {
                try await Self.put(text, session)
                #expect(try await Probe.answers("load: corrupt, ", to: "load", on: session), "\(text)")
                #expect(try await Probe.run("list", on: session) == ["list: 1"])
            }
            let newer = "tessera 99\nanything\n8d958f4d6df305b5c6866bb7e60ceb1293117bfe0859bca786acd60888754064"
            try await Self.put(newer, session)
            #expect(try await Probe.answers("load: newerFormat, ", to: "load", on: session))
            #expect(
                try await Probe.run("remove", "load", "save", on: session) == ["remove: done", "load: 0", "save: 1"]
            )
        }
    }

    @Test(
        "What another program put under the key of an account is damaged until the user signs in again",
        .covers(158),
        arguments: [[], ["subject", "mallory"], ["subject", "ada", "extra", "1"]]
    )
    func foreignItem(attributes: [String]) async throws {
        try await KeyringSession.play { session in
            let key = ["xdg:schema", "dev.tessera.session", "account", Self.key]
            let others = attributes.isEmpty ? [] : ["issuer", "https://accounts.example", "client", "client"]
            _ = try await session.run(
                ["secret-tool", "store", "--label=x"] + key + others + attributes,
                input: "another program's"
            )
            let said = try await Probe.run("load", "consent", "load", "list", "remove", "load", on: session)
            try #require(said.count == 6)
            #expect(said[0].hasPrefix("load: corrupt, "))
            #expect(said[1...] == ["consent: saved", "load: 7", "list: 1", "remove: done", "load: 0"])
        }
    }

    @Test("The fixture of format 1 loads from the keyring for ever", .covers(119))
    func fixture() async throws {
        try await KeyringSession.play { session in
            // A first save makes the keyring.
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            try await Self.put(SecretServiceItemInternalTests.formatOne, session)
            let said = try await Probe.run("load", "list", "save", on: session)
            #expect(said == ["load: 3 marked", "list: 1", "save: 4"])
        }
    }
}
