// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
@testable internal import TesseraUserAgents
internal import Testing

@Suite("Sign-in sheet errors and callbacks")
struct SheetRulesInternalTests {
    private static let web = SheetCallback.https(host: "app.example", path: "/callback")
    private static let scheme = SheetCallback.customScheme("com.example.app")

    @Test(
        "Treats a cancellation without a reason as the user closing the page",
        arguments: [web, scheme],
        [[:], ["NSLocalizedFailureReason": ""]] as [[String: any Sendable]]
    )
    func closed(callback: SheetCallback, userInfo: [String: any Sendable]) {
        #expect(SignInError(sheetCode: 1, userInfo: userInfo, callback: callback) == SignInError(.canceled))
    }

    @Test(
        "Treats a cancellation with an underlying error as a configuration error",
        arguments: [(["NSDebugDescription": "Not associated."], "Not associated."), ([:], "another error.")]
    )
    func underlying(information: [String: String], text: String) throws {
        let error = SignInError(sheetCode: 1, userInfo: ["NSUnderlyingError": information], callback: Self.scheme)
        #expect(error?.code == .invalidConfiguration)
        #expect(try #require(error?.detail).contains(text))
    }

    @Test(
        "A cancellation with a reason is a configuration error that names the associated domain",
        arguments: ["NSLocalizedFailureReason", "NSDebugDescription", "NSLocalizedDescription"]
    )
    func domainNotAssociated(key: String) throws {
        let reason = "Application with identifier com.example.app is not associated with domain app.example."
        let error = try #require(SignInError(sheetCode: 1, userInfo: [key: reason], callback: Self.web))
        #expect(error.code == .invalidConfiguration)
        let detail = try #require(error.detail)
        #expect(detail.contains(reason))
        #expect(detail.contains("webcredentials:app.example"))
        #expect(detail.contains("https://app.example/.well-known/apple-app-site-association"))
        let other = try #require(SignInError(sheetCode: 1, userInfo: [key: reason], callback: Self.scheme))
        #expect(other.code == .invalidConfiguration)
        #expect(other.detail?.contains("webcredentials") == false)
    }

    @Test("A missing or invalid presentation context is a configuration error", arguments: [2, 3])
    func presentationContext(code: Int) {
        #expect(SignInError(sheetCode: code, userInfo: [:], callback: Self.web)?.code == .invalidConfiguration)
    }

    @Test("Returns no sign-in error for an unknown code")
    func unknownCode() {
        #expect(SignInError(sheetCode: 4, userInfo: ["NSDebugDescription": "new"], callback: Self.web) == nil)
    }

    @Test("A private-scheme redirect URI closes the sheet on every OS version", arguments: [true, false])
    func privateScheme(supportsHTTPS: Bool) throws {
        let callback = try SheetCallback(redirectURI: "Com.Example.App:/callback", supportsHTTPS: supportsHTTPS)
        #expect(callback == Self.scheme)
    }

    @Test("An https redirect URI closes the sheet where the system supports it")
    func webRedirect() throws {
        let uri = "https://app.example/callback?x=1"
        #expect(try SheetCallback(redirectURI: uri, supportsHTTPS: true) == Self.web)
        let error = #expect(throws: SignInError.self) { try SheetCallback(redirectURI: uri, supportsHTTPS: false) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail?.contains("iOS 17.4") == true)
    }

    @Test(
        "Rejects a redirect URI that cannot close the sheet",
        arguments: ["", "callback", "app:/callback", "https:///callback", "http://127.0.0.1/callback"]
    )
    func invalidRedirectURI(uri: String) {
        #expect { try SheetCallback(redirectURI: uri, supportsHTTPS: true) } throws: {
            SignInError.Code.invalidConfiguration ~= $0
        }
    }
}
