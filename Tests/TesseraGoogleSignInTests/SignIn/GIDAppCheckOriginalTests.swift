// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraGoogleSignIn
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("App Check as in GoogleSignIn")
struct GIDAppCheckOriginalTests {
    private final class TokenProvider: GIDAppCheckTokenProvider {
        let calls = Mutex(0)
        private let token: String?

        init(_ token: String?) { self.token = token }

        func limitedUseToken() async throws -> String {
            self.calls.withLock { $0 += 1 }
            guard let token else { throw CocoaError(.featureUnsupported) }
            return token
        }
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:appcheck"

    @Test(
        "Sends the token as a client assertion in sign-ins and requests for scopes",
        .original("GoogleSignIn GIDSignIn.m authorizationRequestWithOptions:completion:")
    )
    func assertion() async throws {
        let program = try Program()
        try await program.google.configure(appCheckProvider: TokenProvider("proof"))
        let presenter = program.presenter()
        let user = try await program.google.signIn(withPresenting: presenter).user
        #expect(presenter.userAgent.parameter("client_assertion") == "proof")
        #expect(presenter.userAgent.parameter("client_assertion_type") == Self.assertionType)
        let other = program.presenter()
        try await user.addScopes([Program.drive], presenting: other)
        #expect(other.userAgent.parameter("client_assertion") == "proof")
        #expect(other.userAgent.parameter("client_assertion_type") == Self.assertionType)
    }

    @Test(
        "Requests a new token for each page",
        .original("GoogleSignIn GIDAppCheckTest.testGetLimitedUseTokenSucceeds")
    )
    func newToken() async throws {
        let program = try Program()
        let provider = TokenProvider("proof")
        try await program.google.configure(appCheckProvider: provider)
        #expect(provider.calls.withLock { $0 } == 1)
        _ = try await program.signedIn()
        _ = try await program.signedIn()
        #expect(provider.calls.withLock { $0 } == 3)
    }

    @Test(
        "Reports that the first token was obtained",
        .original("GoogleSignIn GIDSignInTest.testConfigureSucceeds")
    )
    func succeeds() async throws {
        let google = GoogleApp().launched()
        google.callbackQueue = DispatchQueue(label: "handlers")
        let error = await withCheckedContinuation { continuation in
            google.configure(appCheckProvider: TokenProvider("proof")) { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
    }

    @Test(
        "Signs in without an assertion if the token request fails",
        .original("GoogleSignIn GIDAppCheckTest.testGetLimitedUseTokenFailureReturnsPlaceholder")
    )
    func failure() async throws {
        let program = try Program()
        #expect(await code { try await program.google.configure(appCheckProvider: TokenProvider(nil)) } == .unknown)
        let presenter = program.presenter()
        try await program.google.signIn(withPresenting: presenter)
        #expect(presenter.userAgent.parameter("client_assertion") == nil)
        #expect(presenter.userAgent.parameter("client_assertion_type") == nil)
    }

    @Test(
        "Reports an empty token as an unexpected error",
        .original("GoogleSignIn GIDSignInTest.testConfigureFailsNoTokenOrError")
    )
    func emptyToken() async throws {
        let program = try Program()
        do {
            try await program.google.configure(appCheckProvider: TokenProvider(""))
            Issue.record("The token is empty.")
        } catch let error as GIDSignInError {
            let cause = try #require(error.underlyingError)
            #expect(GIDAppCheckError.unexpectedError ~= cause)
            #expect((cause as NSError).domain == "com.google.GIDAppCheck")
            #expect((cause as NSError).code == 1)
        }
        let presenter = program.presenter()
        try await program.google.signIn(withPresenting: presenter)
        #expect(presenter.userAgent.parameter("client_assertion") == nil)
    }

    @Test(
        "Has the domain, the code and the user info of Google's error",
        .original("GoogleSignIn GIDAppCheckError.h kGIDAppCheckErrorDomain")
    )
    func errorValues() {
        let error = GIDAppCheckError(.unexpectedError, userInfo: ["key": 1])
        #expect(GIDAppCheckError.errorDomain == kGIDAppCheckErrorDomain)
        #expect(error.code == .unexpectedError)
        #expect(error.errorCode == 1)
        #expect(error.userInfo["key"] as? Int == 1)
        #expect(error.errorUserInfo["key"] as? Int == 1)
        #expect(error == GIDAppCheckError(.unexpectedError))
        #expect(Set([error, GIDAppCheckError(.unexpectedError)]).count == 1)
        let text = GIDAppCheckError(.unexpectedError, userInfo: [NSLocalizedDescriptionKey: "No token."])
        #expect(text.localizedDescription == "No token.")
        #expect(text != error)
        #expect(error.localizedDescription == error.description)
    }

    @Test(
        "Is created from an NSError and matched by its pattern",
        .original("GoogleSignIn GIDAppCheckError.h GIDAppCheckErrorCode")
    )
    func bridging() {
        let error = NSError(domain: kGIDAppCheckErrorDomain, code: 1, userInfo: ["key": 1])
        #expect(GIDAppCheckError(_nsError: error).userInfo["key"] as? Int == 1)
        #expect(GIDAppCheckError(_bridgedNSError: error)?.code == .unexpectedError)
        #expect(GIDAppCheckError(_bridgedNSError: NSError(domain: kGIDAppCheckErrorDomain, code: 2)) == nil)
        #expect(GIDAppCheckError(_bridgedNSError: NSError(domain: kGIDSignInErrorDomain, code: 1)) == nil)
        #expect(GIDAppCheckError.unexpectedError ~= error)
        #expect(!(GIDAppCheckError.unexpectedError ~= NSError(domain: kGIDSignInErrorDomain, code: 1)))
    }
}
