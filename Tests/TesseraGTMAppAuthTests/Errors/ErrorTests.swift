// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("AppAuth error domains and codes")
struct ErrorTests {
    @Test(
        "Maps an OAuth error to its code",
        arguments: [
            ("invalid_request", -2), ("unauthorized_client", -3), ("access_denied", -4),
            ("unsupported_response_type", -5), ("invalid_scope", -6), ("server_error", -7),
            ("temporarily_unavailable", -8), ("invalid_client", -9), ("invalid_grant", -10),
            ("unsupported_grant_type", -11), ("invalid_redirect_uri", -12), ("invalid_client_metadata", -13),
            ("something_else", -0xF000),
        ]
    )
    func codes(text: String, code: Int) {
        let error = NSError.appAuth(
            domain: OIDOAuthTokenErrorDomain,
            response: ["error": text, "error_description": "why"]
        )
        #expect(error.domain == "org.openid.appauth.oauth_token")
        #expect(error.code == code)
        let response = error.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any]
        #expect(response?[OIDOAuthErrorFieldError] as? String == text)
        #expect(response?[OIDOAuthErrorFieldErrorDescription] as? String == "why")
        #expect(error.localizedDescription == "\(text): why")
    }

    @Test("Uses the code for other errors if the error is not a string")
    func noText() {
        for response: [String: Any] in [[:], ["error": 7], ["error": ["a"]], ["error": NSNull()]] {
            let error = NSError.appAuth(domain: OIDOAuthAuthorizationErrorDomain, response: response)
            #expect(error.code == OIDErrorCodeOAuth.other.rawValue)
        }
    }

    @Test("Includes the codes of each endpoint in the general OAuth codes")
    func families() {
        let family = Set(OIDErrorCodeOAuth.allCases.map(\.rawValue))
        #expect(family.isSuperset(of: OIDErrorCodeOAuthAuthorization.allCases.map(\.rawValue)))
        #expect(family.isSuperset(of: OIDErrorCodeOAuthToken.allCases.map(\.rawValue)))
        #expect(family.isSuperset(of: OIDErrorCodeOAuthRegistration.allCases.map(\.rawValue)))
        #expect(OIDErrorCode.allCases.map(\.rawValue) == Array((-17 ... -2).reversed()))
    }

    @Test("Includes the underlying error in a general error")
    func general() {
        let error = NSError.appAuth(.networkError, "No answer.", underlying: CocoaError(.fileNoSuchFile))
        #expect(error.domain == "org.openid.appauth.general")
        #expect(error.code == -5)
        #expect(error.localizedDescription == "No answer.")
        #expect(error.userInfo[NSUnderlyingErrorKey] is CocoaError)
    }
}
