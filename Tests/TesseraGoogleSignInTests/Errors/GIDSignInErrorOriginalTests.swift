// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraGTMAppAuth
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Errors as in GoogleSignIn")
struct GIDSignInErrorOriginalTests {
    /// Returns the error that `body` throws.
    private static func error<Value>(_ body: () async throws -> Value) async throws -> GIDSignInError {
        do {
            _ = try await body()
        } catch {
            return try #require(error as? GIDSignInError)
        }
        throw CocoaError(.featureUnsupported)
    }

    /// Returns the domain and the code of the error under `NSUnderlyingErrorKey`.
    private static func original(_ error: GIDSignInError) throws -> [String] {
        let original = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        return [original.domain, "\(original.code)"]
    }

    @Test(
        "Has the domain of Google's library",
        .original("GoogleSignIn GIDSignIn.h kGIDSignInErrorDomain"),
        arguments: GIDSignInError.Code.allCases
    )
    func domain(code: GIDSignInError.Code) {
        let error = GIDSignInError(code) as NSError
        #expect(error.domain == "com.google.GIDSignIn")
        #expect(error.code == code.rawValue)
        #expect(GIDSignInError.errorDomain == kGIDSignInErrorDomain)
    }

    @Test(
        "Has the codes of Google's library",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode"),
        arguments: [
            (.unknown, -1), (.keychain, -2), (.hasNoAuthInKeychain, -4), (.canceled, -5), (.EMM, -6),
            (.ambiguousClaims, -7), (.scopesAlreadyGranted, -8), (.mismatchWithCurrentUser, -9),
            (.jsonSerializationFailure, -10), (.refreshTokenExpired, -11),
        ] as [(GIDSignInError.Code, Int)]
    )
    func codes(code: GIDSignInError.Code, value: Int) {
        #expect(code.rawValue == value)
        #expect(GIDSignInError(code).errorCode == value)
    }

    @Test(
        "Is matched by the patterns that Swift code uses",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode")
    )
    func patterns() {
        let error: any Error = GIDSignInError(.canceled)
        do {
            throw error
        } catch GIDSignInError.canceled {
            #expect((error as? GIDSignInError)?.code == .canceled)
            #expect((error as NSError).code == GIDSignInError.canceled.rawValue)
        } catch {
            Issue.record("The pattern does not match.")
        }
        #expect(!(GIDSignInError.EMM ~= error))
    }

    @Test(
        "Matches an NSError with the same domain and code",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode")
    )
    func patternOfNSError() {
        #expect(GIDSignInError.canceled ~= NSError(domain: kGIDSignInErrorDomain, code: -5))
        #expect(!(GIDSignInError.canceled ~= NSError(domain: kGIDSignInErrorDomain, code: -4)))
        #expect(!(GIDSignInError.canceled ~= NSError(domain: "other", code: -5)))
    }

    @Test(
        "Keeps the user info with which it was created",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode")
    )
    func userInfo() {
        let cause = CocoaError(.featureUnsupported)
        let error = GIDSignInError(
            .canceled,
            userInfo: ["key": 1, NSLocalizedDescriptionKey: "Text.", NSUnderlyingErrorKey: cause]
        )
        #expect(error.userInfo["key"] as? Int == 1)
        #expect(error.errorUserInfo["key"] as? Int == 1)
        #expect((error as NSError).userInfo["key"] as? Int == 1)
        #expect(error.localizedDescription == "Text.")
        #expect((error as NSError).localizedDescription == "Text.")
        #expect(error.underlyingError is CocoaError)
    }

    @Test(
        "Compares and hashes errors by their code and description",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode")
    )
    func equality() {
        let text = GIDSignInError(.canceled, userInfo: [NSLocalizedDescriptionKey: "Text."])
        #expect(GIDSignInError(.canceled) == GIDSignInError(.canceled))
        #expect(GIDSignInError(.canceled) != GIDSignInError(.keychain))
        #expect(GIDSignInError(.canceled) != text)
        #expect(Set([GIDSignInError(.canceled), GIDSignInError(.canceled), text]).count == 2)
    }

    @Test(
        "Is created from an NSError of its domain",
        .original("GoogleSignIn GIDSignIn.h GIDSignInErrorCode")
    )
    func bridging() {
        let error = NSError(domain: kGIDSignInErrorDomain, code: -5, userInfo: ["key": 1])
        #expect(GIDSignInError(_bridgedNSError: error)?.code == .canceled)
        #expect(GIDSignInError(_bridgedNSError: error)?.userInfo["key"] as? Int == 1)
        #expect(GIDSignInError(_bridgedNSError: NSError(domain: "other", code: -5)) == nil)
        #expect(GIDSignInError(_bridgedNSError: NSError(domain: kGIDSignInErrorDomain, code: -99)) == nil)
        #expect(GIDSignInError(_nsError: error).code == .canceled)
        #expect(GIDSignInError(_nsError: NSError(domain: kGIDSignInErrorDomain, code: -99)).code == .unknown)
        #if canImport(ObjectiveC)
        #expect((error as? GIDSignInError)?.code == .canceled)
        #endif
    }

    @Test(
        "Reports a closed page and a canceled task as canceled, with the text of Google's library",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_ModalCanceled"),
        arguments: [SignInError(.canceled), CancellationError()] as [any Error]
    )
    func canceled(cause: any Error) async throws {
        let program = try Program()
        let closing = Presenter(ScriptedUserAgent { _ in throw cause })
        let error = try await Self.error { try await program.google.signIn(withPresenting: closing) }
        #expect(error.code == .canceled)
        #expect(error.localizedDescription == "The user canceled the sign-in flow.")
    }

    @Test(
        "Distinguishes denied access from a closed page",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_ConsentCanceled")
    )
    func denied() async throws {
        let program = try Program()
        let presenter = program.denyingPresenter()
        let error = try await Self.error { try await program.google.signIn(withPresenting: presenter) }
        #expect(error.code == .accessDenied)
    }

    @Test(
        "Reports any other error in the redirect as unknown, with its name in the text",
        .original("GoogleSignIn GIDSignIn.m processAuthorizationResponse:error:emmSupport:"),
        arguments: ["invalid_scope", "emm_passcode_required"]
    )
    func redirectError(name: String) async throws {
        let program = try Program()
        let network = program.network
        let presenter = Presenter(
            ScriptedUserAgent { url in
                [try network.denial(of: url).replacing("error=access_denied", with: "error=\(name)")]
            }
        )
        let error = try await Self.error { try await program.google.signIn(withPresenting: presenter) }
        #expect(error.code == .unknown)
        #expect(error.localizedDescription.contains(name))
        #expect((error as NSError).domain == kGIDSignInErrorDomain)
    }

    @Test(
        "Contains AppAuth's error of the token endpoint",
        .original("GoogleSignIn GIDSignIn.m maybeFetchToken:")
    )
    func tokenEndpoint() async throws {
        let program = try Program()
        program.network.intercept("/token") { _ in .json(#"{"error":"invalid_client"}"#, status: .badRequest) }
        let error = try await Self.error { try await program.signedIn() }
        #expect(error.code == .unknown)
        #expect(error.underlyingError is OAuthError)
        #expect(try Self.original(error) == [OIDOAuthTokenErrorDomain, "-9"])
    }

    @Test(
        "Contains AppAuth's error of a revoked grant",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:")
    )
    func revoked() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.expire()
        program.network.revokeEverything()
        let error = try await Self.error { try await user.refreshTokensIfNeeded() }
        #expect(error.code == .sessionEnded)
        #expect(error.endsSession)
        #expect(try Self.original(error) == [OIDOAuthTokenErrorDomain, "-10"])
    }

    @Test(
        "Contains AppAuth's errors of the network and of the server",
        .original("GoogleSignIn GIDGoogleUser.m refreshTokensIfNeededWithCompletion:")
    )
    func network() async throws {
        let program = try Program()
        let user = try await program.signedIn()
        program.expire()
        program.network.intercept("/token") { _ in throw TransportError(.cannotConnect) }
        let offline = try await Self.error { try await user.refreshTokensIfNeeded() }
        #expect(offline.code == .unknown)
        #expect(offline.isRetryable)
        #expect(try Self.original(offline) == [OIDGeneralErrorDomain, "\(OIDErrorCode.networkError.rawValue)"])
        program.network.intercept("/token") { _ in .status(.serviceUnavailable) }
        let busy = try await Self.error { try await user.refreshTokensIfNeeded() }
        #expect(try Self.original(busy) == [OIDGeneralErrorDomain, "\(OIDErrorCode.serverError.rawValue)"])
    }

    @Test(
        "Contains AppAuth's error of an ID token with another nonce",
        .original("GoogleSignIn GIDSignIn.m maybeFetchToken:")
    )
    func idToken() async throws {
        let program = try Program()
        program.issue([JSONMember(name: "nonce", value: "other")])
        let error = try await Self.error { try await program.signedIn() }
        let code = OIDErrorCode.idTokenFailedValidationError.rawValue
        #expect(try Self.original(error) == [OIDGeneralErrorDomain, "\(code)"])
    }

    @Test(
        "Contains GTMSessionFetcher's error of a failed revocation",
        .original("GoogleSignIn GIDSignInTest.testDisconnect_errors"),
        arguments: [#"{"error":"invalid_request"}"#, ""]
    )
    func revocation(body: String) async throws {
        let program = try Program()
        _ = try await program.signedIn()
        program.network.intercept("/revoke") { _ in .json(body, status: .badRequest) }
        let error = try await Self.error { try await program.google.disconnect() }
        #expect(error.code == .unknown)
        #expect(try Self.original(error) == [kGTMSessionFetcherStatusDomain, "400"])
        #expect(program.google.currentUser != nil)
    }

    @Test(
        "Describes a store failure with its cause",
        .original("GoogleSignIn GIDSignIn.m kKeychainError")
    )
    func storeFailure() async throws {
        let store = LockableStore()
        let program = try Program(store: store)
        store.isLocked.withLock { $0 = true }
        let error = try await Self.error { try await program.google.restorePreviousSignIn() }
        #expect(error.code == .keychain)
        #expect(error.underlyingError is StoreError)
        #expect(error.localizedDescription == error.description)
    }
}
