// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Granted scopes")
struct GrantTests {
    private static let aliases = ScopeAliases(["long.email": .email, "longer.email": .email])

    @Test(
        "Reports the requested scopes that were not granted, under any alias",
        .covers(76),
        arguments: [
            (["a", "b"], ["a", "b"], []), (["a", "b"], ["b"], ["a"]), (["a"], [], ["a"]), ([], ["a"], []),
            (["email"], ["long.email"], []), (["long.email"], ["email"], []), (["long.email"], ["longer.email"], []),
            (["longer.email", "x"], ["email"], ["x"]), (["a"], ["A"], ["a"]), (["openid", "a"], ["a"], ["openid"]),
        ] as [([Scope], [Scope], [Scope])]
    )
    func missing(requested: [Scope], granted: [Scope], expected: [Scope]) {
        #expect(GrantedScopes(requested: requested, granted: granted, aliases: Self.aliases).missing == expected)
    }

    @Test(
        "Reports the granted scopes that were not requested, except openid",
        arguments: [
            (["a"], ["a", "b"], ["b"]), (["a"], ["a", "openid"], []), (["email"], ["long.email"], []),
            (["a"], ["long.email"], ["long.email"]), ([], [], []),
        ] as [([Scope], [Scope], [Scope])]
    )
    func unrequested(requested: [Scope], granted: [Scope], expected: [Scope]) {
        #expect(GrantedScopes(requested: requested, granted: granted, aliases: Self.aliases).unrequested == expected)
    }

    @Test("Contains several scopes if it contains each one")
    func contains() {
        let granted = GrantedScopes(requested: [], granted: ["a", "long.email"], aliases: Self.aliases)
        #expect(granted.contains(["a", .email]))
        #expect(granted.contains([]))
        #expect(!granted.contains(["a", "b"]))
        #expect(!granted.contains(""))
        #expect(!GrantedScopes(requested: ["a"], granted: []).contains("a"))
    }

    @Test("Compares scopes exactly without aliases")
    func noAliases() {
        #expect(!GrantedScopes(requested: [], granted: ["long.email"]).contains(.email))
        #expect(ScopeAliases().canonical("x") == "x")
        #expect(Self.aliases.canonical("longer.email") == .email)
    }
}
