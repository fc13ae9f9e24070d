// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("Errors as in AppAuth")
struct ErrorUtilityOriginalTests {
    @Test("Has AppAuth's domains and keys", .original("AppAuth OIDError.h OIDGeneralErrorDomain"))
    func domains() {
        #expect(OIDGeneralErrorDomain == "org.openid.appauth.general")
        #expect(OIDOAuthTokenErrorDomain == "org.openid.appauth.oauth_token")
        #expect(OIDOAuthAuthorizationErrorDomain == "org.openid.appauth.oauth_authorization")
        #expect(OIDOAuthRegistrationErrorDomain == "org.openid.appauth.oauth_registration")
        #expect(OIDResourceServerAuthorizationErrorDomain == "org.openid.appauth.resourceserver")
        #expect(OIDHTTPErrorDomain == "org.openid.appauth.remote-http")
        #expect(OIDOAuthErrorResponseErrorKey == "OIDOAuthErrorResponseErrorKey")
        #expect(OIDOAuthErrorFieldError == "error")
        #expect(OIDOAuthErrorFieldErrorDescription == "error_description")
        #expect(OIDOAuthErrorFieldErrorURI == "error_uri")
    }

    @Test("Has AppAuth's general codes", .original("AppAuth OIDError.h OIDErrorCode"))
    func generalCodes() {
        let codes: [OIDErrorCode] = [
            .invalidDiscoveryDocument, .userCanceledAuthorizationFlow, .programCanceledAuthorizationFlow, .networkError,
            .serverError, .jsonDeserializationError, .tokenResponseConstructionError, .safariOpenError,
            .browserOpenError, .tokenRefreshError, .registrationResponseConstructionError, .jsonSerializationError,
            .idTokenParsingError, .idTokenFailedValidationError, .urlMismatch, .invalidAuthorizationFlow,
        ]
        #expect(codes.map(\.rawValue) == Array((-17 ... -2).reversed()))
    }

    @Test("Has AppAuth's OAuth codes", .original("AppAuth OIDError.h OIDErrorCodeOAuth"))
    func oauthCodes() {
        let codes: [OIDErrorCodeOAuth] = [
            .invalidRequest, .unauthorizedClient, .accessDenied, .unsupportedResponseType, .invalidScope, .serverError,
            .temporarilyUnavailable, .invalidClient, .invalidGrant, .unsupportedGrantType, .invalidRedirectURI,
            .invalidClientMetadata,
        ]
        #expect(codes.map(\.rawValue) == Array((-13 ... -2).reversed()))
        #expect(OIDErrorCodeOAuth.clientError.rawValue == -0xEFFF)
        #expect(OIDErrorCodeOAuth.other.rawValue == -0xF000)
        #expect(OIDErrorCodeOAuthAuthorization.authorizationInvalidScope.rawValue == -6)
        #expect(OIDErrorCodeOAuthAuthorization.clientError.rawValue == -0xEFFF)
        #expect(OIDErrorCodeOAuthToken.invalidGrant.rawValue == -10)
        #expect(OIDErrorCodeOAuthToken.other.rawValue == -0xF000)
        #expect(OIDErrorCodeOAuthRegistration.invalidRedirectURI.rawValue == -12)
        #expect(OIDErrorCodeOAuthRegistration.invalidClientMetadata.rawValue == -13)
    }

    @Test(
        "Returns the code for the text of an OAuth error",
        .original("AppAuth OIDErrorUtilities OAuthErrorCodeFromString:"),
        arguments: [
            ("invalid_request", OIDErrorCodeOAuth.invalidRequest), ("access_denied", .accessDenied),
            ("invalid_grant", .invalidGrant), ("temporarily_unavailable", .temporarilyUnavailable),
            ("invalid_redirect_uri", .invalidRedirectURI), ("invalid_client_metadata", .invalidClientMetadata),
            ("INVALID_GRANT", .other), ("", .other),
        ]
    )
    func code(text: String, code: OIDErrorCodeOAuth) {
        #expect(OIDErrorUtilities.oAuthErrorCode(from: text) == code)
    }

    @Test(
        "Creates a general error with its cause and description",
        .original("AppAuth OIDErrorUtilities errorWithCode:underlyingError:description:")
    )
    func general() {
        let cause = NSError(domain: "cause", code: 3)
        let made = OIDErrorUtilities.error(with: .networkError, underlyingError: cause, description: "d")
        let error = CaughtError(error: made as NSError)
        #expect(error.kind == [OIDGeneralErrorDomain, -5])
        #expect(error.cause?.kind == ["cause", 3])
        #expect(error.message == "d")
        let bare = OIDErrorUtilities.error(with: .serverError, underlyingError: nil, description: nil) as NSError
        #expect(bare.userInfo.isEmpty)
    }

    @Test(
        "Creates an OAuth error with the server's response",
        .original("AppAuth OIDAuthStateTests.OAuthTokenInvalidGrantErrorWithUnderlyingError:"),
        arguments: [OIDOAuthTokenErrorDomain, OIDOAuthAuthorizationErrorDomain, OIDOAuthRegistrationErrorDomain]
    )
    func oauth(domain: String) {
        let cause = NSError(domain: "cause", code: 3)
        let made = OIDErrorUtilities.oAuthError(
            withDomain: domain,
            oAuthResponse: ["error": "invalid_grant", "error_description": "why", "more": 1],
            underlyingError: cause
        )
        let error = CaughtError(error: made as NSError)
        #expect(error.kind == [domain, -10])
        #expect(error.cause?.kind == ["cause", 3])
        #expect(error.message == "invalid_grant: why")
        #expect(error.response?["more"] as? Int == 1)
    }

    @Test(
        "Creates a network error for a response that is not an OAuth error",
        .original("AppAuth OIDErrorUtilities OAuthErrorWithDomain:OAuthResponse:underlyingError:")
    )
    func noOAuth() {
        for (domain, response) in [
            ("other", ["error": "invalid_grant"]), (OIDOAuthTokenErrorDomain, [:]),
            (OIDOAuthTokenErrorDomain, ["error": 7]),
        ] as [(String, [AnyHashable: Any])] {
            let error = OIDErrorUtilities.oAuthError(
                withDomain: domain,
                oAuthResponse: response,
                underlyingError: nil
            )
            #expect(CaughtError(error: error as NSError).kind == [OIDGeneralErrorDomain, -5])
        }
    }

    @Test(
        "Creates a resource server's error with the app's code",
        .original("AppAuth OIDErrorUtilities resourceServerAuthorizationErrorWithCode:errorResponse:underlyingError:")
    )
    func resource() {
        let made = OIDErrorUtilities.resourceServerAuthorizationError(
            withCode: 0,
            errorResponse: ["error": "expired"],
            underlyingError: NSError(domain: "cause", code: 3)
        )
        let error = CaughtError(error: made as NSError)
        #expect(error.kind == [OIDResourceServerAuthorizationErrorDomain, 0])
        #expect(error.response?["error"] as? String == "expired")
        #expect(error.cause?.kind == ["cause", 3])
    }

    @Test(
        "Creates an HTTP error with the status and the body",
        .original("AppAuth OIDErrorUtilities HTTPErrorWithHTTPResponse:data:")
    )
    func http() throws {
        let response = try #require(
            HTTPURLResponse(
                url: try Samples.url("https://server.example/"),
                statusCode: 418,
                httpVersion: nil,
                headerFields: nil
            )
        )
        let made = OIDErrorUtilities.httpError(withHTTPResponse: response, data: Data("Teapot".utf8))
        let error = CaughtError(error: made as NSError)
        #expect(error.kind == [OIDHTTPErrorDomain, 418])
        #expect(error.message == "Teapot")
        let long = OIDErrorUtilities.httpError(withHTTPResponse: response, data: Data(repeating: 0x61, count: 2_000))
        #expect(CaughtError(error: long as NSError).message.count == 1_000)
        let bare = OIDErrorUtilities.httpError(withHTTPResponse: response, data: nil)
        #expect(CaughtError(error: bare as NSError).kind == [OIDHTTPErrorDomain, 418])
    }

    @Test(
        "Knows the three domains of OAuth errors",
        .original("AppAuth OIDErrorUtilities isOAuthErrorDomain:"),
        arguments: [
            (OIDOAuthAuthorizationErrorDomain, true), (OIDOAuthTokenErrorDomain, true),
            (OIDOAuthRegistrationErrorDomain, true), (OIDGeneralErrorDomain, false), (OIDHTTPErrorDomain, false),
            (OIDResourceServerAuthorizationErrorDomain, false),
        ]
    )
    func isOAuth(domain: String, isOAuth: Bool) {
        #expect(OIDErrorUtilities.isOAuthErrorDomain(domain) == isOAuth)
    }

    @Test(
        "Has the names of AppAuth's exceptions",
        .original("AppAuth OIDError.h OIDOAuthExceptionInvalidAuthorizationFlow")
    )
    func exceptions() {
        let names = [
            OIDOAuthExceptionInvalidAuthorizationFlow, OIDOAuthExceptionInvalidTokenRequestNullRedirectURL,
            kRefreshTokenRequestException,
        ]
        #expect(Set(names).count == 3)
        #expect(!names.contains(""))
    }
}
