// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "Damaged items in a real gnome-keyring",
    .enabled(if: KeyringSession.isPossible, Comment(rawValue: KeyringSession.obstacle ?? ""))
)
struct SecretServiceDamageTests {
    /// The attribute that identifies Ada's item.
    private static let key = "5af93b1bd6fca31a7c797a8c589452f54fad73819c3c396695d3cde0e979a445"

    /// Stores a text as the value of Ada's item.
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
        "Reports a changed or truncated item as damaged, writes nothing and loads other accounts",
        .covers(119)
    )
    func bytes() async throws {
        try await KeyringSession.play { session in
            let before = try await Probe.run("save", "mark", "save bob", on: session)
            #expect(before == ["save: 1", "mark: done", "save: 1"])
            let original = try await Self.text(session)
            let bytes = Array(original.utf8)
            try #require(bytes.count > 200)
            // Positions in the format line, the mark, the record and the digest.
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
                let output = try await Probe.run("load", "mark", "load bob", "list", on: session)
                try #require(output.count == 4)
                #expect(output[0].hasPrefix("load: corrupt, "))
                #expect(output[1].hasPrefix("mark: corrupt, "))
                #expect(output[2...] == ["load: 1", "list: 2"])
                #expect(try await Self.text(session) == damaged)
            }
            try await Self.put(original, session)
            #expect(try await Probe.run("load", on: session) == ["load: 1 marked"])
        }
    }

    @Test("Reports foreign content in an item as damaged, and the item can be removed", .covers(119))
    func nonsense() async throws {
        try await KeyringSession.play { session in
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            let digest = "1cf4067d68d537c88f8af0f47206c2f15b2f54aadcd34f7adc27b7d07f4412ac"
            for text in ["nonsense", "refresh x y\n{}", "{\"format\":1}", "tessera x\n{}\n" + digest] {
                try await Self.put(text, session)
                #expect(try await Probe.responses("load: corrupt, ", to: "load", on: session), "\(text)")
                #expect(try await Probe.run("list", on: session) == ["list: 1"])
            }
            let newer = "tessera 99\nanything\n8d958f4d6df305b5c6866bb7e60ceb1293117bfe0859bca786acd60888754064"
            try await Self.put(newer, session)
            #expect(try await Probe.responses("load: newerFormat, ", to: "load", on: session))
            #expect(
                try await Probe.run("remove", "load", "save", on: session) == ["remove: done", "load: 0", "save: 1"]
            )
        }
    }

    @Test(
        "Another program's item under an account's key is damaged until the user signs in again",
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
            let output = try await Probe.run("load", "consent", "load", "list", "remove", "load", on: session)
            try #require(output.count == 6)
            #expect(output[0].hasPrefix("load: corrupt, "))
            #expect(output[1...] == ["consent: saved", "load: 7", "list: 1", "remove: done", "load: 0"])
        }
    }

    @Test("Loads the fixture of format 1 from the keyring", .covers(119))
    func fixture() async throws {
        try await KeyringSession.play { session in
            // The first save creates the keyring.
            #expect(try await Probe.run("save", on: session) == ["save: 1"])
            try await Self.put(SecretServiceItemInternalTests.formatOne, session)
            let output = try await Probe.run("load", "list", "save", on: session)
            #expect(output == ["load: 3 marked", "list: 1", "save: 4"])
        }
    }
}
