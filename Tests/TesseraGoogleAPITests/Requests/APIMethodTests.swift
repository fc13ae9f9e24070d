// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import Testing

@Suite("What permits a method")
struct APIMethodTests {
    private static let drive = "https://www.googleapis.com/auth/drive"
    private static let method = APIMethod(
        "a.list",
        "GET",
        "a",
        scopes: "\(Self.drive).file \(Self.drive).readonly email"
    )

    @Test(
        "Any one of its scopes permits it, wherever in the list that is",
        arguments: ["\(Self.drive).file", "\(Self.drive).readonly", "email"]
    )
    func permits(_ scope: String) {
        #expect(Self.method.isPermitted(by: Grant(requested: [], granted: [.openID, Scope(scope)])))
    }

    @Test(
        "A scope that begins or ends as one of them does not",
        arguments: [
            "\(Self.drive)", "\(Self.drive).readonly.more", "mail", "e", ".file", "", "\(Self.drive).file email",
        ]
    )
    func refuses(_ scope: String) {
        #expect(!Self.method.isPermitted(by: Grant(requested: [], granted: [Scope(scope)])))
    }

    @Test("Another spelling of one of them permits it; nothing is needed where the method names none")
    func spellings() {
        let aliases = ScopeAliases([Scope("https://example.com/email"): Scope("email")])
        let grant = Grant(requested: [], granted: [Scope("https://example.com/email")], aliases: aliases)
        #expect(Self.method.isPermitted(by: grant))
        #expect(APIMethod("a.get", "GET", "a").isPermitted(by: Grant(requested: [], granted: [])))
        #expect(!Self.method.isPermitted(by: Grant(requested: Self.method.scopes, granted: [])))
    }
}
