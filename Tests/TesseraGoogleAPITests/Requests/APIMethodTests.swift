// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import Testing

@Suite("Scopes that permit a method")
struct APIMethodTests {
    private static let drive = "https://www.googleapis.com/auth/drive"
    private static let method = APIMethod(
        "a.list",
        "GET",
        "a",
        scopes: "\(Self.drive).file \(Self.drive).readonly email"
    )

    @Test(
        "Permits a method with any one of its scopes",
        arguments: ["\(Self.drive).file", "\(Self.drive).readonly", "email"]
    )
    func permits(_ scope: String) {
        #expect(Self.method.isPermitted(by: GrantedScopes(requested: [], granted: [.openID, Scope(scope)])))
    }

    @Test(
        "Does not permit a method with a scope that only partially matches",
        arguments: [
            "\(Self.drive)", "\(Self.drive).readonly.more", "mail", "e", ".file", "", "\(Self.drive).file email",
        ]
    )
    func refuses(_ scope: String) {
        #expect(!Self.method.isPermitted(by: GrantedScopes(requested: [], granted: [Scope(scope)])))
    }

    @Test("Accepts an alias of a scope, and requires no scope if the method specifies none")
    func spellings() {
        let aliases = ScopeAliases([Scope("https://example.com/email"): Scope("email")])
        let granted = GrantedScopes(requested: [], granted: [Scope("https://example.com/email")], aliases: aliases)
        #expect(Self.method.isPermitted(by: granted))
        #expect(APIMethod("a.get", "GET", "a").isPermitted(by: GrantedScopes(requested: [], granted: [])))
        #expect(!Self.method.isPermitted(by: GrantedScopes(requested: Self.method.scopes, granted: [])))
    }
}
