// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("What was granted")
struct GrantTests {
    private static let aliases = ScopeAliases(["long.email": .email, "longer.email": .email])

    @Test(
        "Missing is what was asked for and not granted, under any spelling",
        .covers(76),
        arguments: [
            (["a", "b"], ["a", "b"], []), (["a", "b"], ["b"], ["a"]), (["a"], [], ["a"]), ([], ["a"], []),
            (["email"], ["long.email"], []), (["long.email"], ["email"], []), (["long.email"], ["longer.email"], []),
            (["longer.email", "x"], ["email"], ["x"]), (["a"], ["A"], ["a"]), (["openid", "a"], ["a"], ["openid"]),
        ] as [([Scope], [Scope], [Scope])]
    )
    func missing(requested: [Scope], granted: [Scope], expected: [Scope]) {
        #expect(Grant(requested: requested, granted: granted, aliases: Self.aliases).missing == expected)
    }

    @Test(
        "Unrequested is what came without being asked for; an unasked openid is no surprise",
        arguments: [
            (["a"], ["a", "b"], ["b"]), (["a"], ["a", "openid"], []), (["email"], ["long.email"], []),
            (["a"], ["long.email"], ["long.email"]), ([], [], []),
        ] as [([Scope], [Scope], [Scope])]
    )
    func unrequested(requested: [Scope], granted: [Scope], expected: [Scope]) {
        #expect(Grant(requested: requested, granted: granted, aliases: Self.aliases).unrequested == expected)
    }

    @Test("Several scopes are contained when each one is")
    func contains() {
        let grant = Grant(requested: [], granted: ["a", "long.email"], aliases: Self.aliases)
        #expect(grant.contains(["a", .email]))
        #expect(grant.contains([]))
        #expect(!grant.contains(["a", "b"]))
        #expect(!grant.contains(""))
        #expect(!Grant(requested: ["a"], granted: []).contains("a"))
    }

    @Test("Without a table of spellings every scope is its own")
    func noAliases() {
        #expect(!Grant(requested: [], granted: ["long.email"]).contains(.email))
        #expect(ScopeAliases().canonical("x") == "x")
        #expect(Self.aliases.canonical("longer.email") == .email)
    }
}
