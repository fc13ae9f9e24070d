// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth

extension NSError {
    /// Maps an error to AppAuth's domains and codes.
    ///
    /// A transient OAuth error, such as status 429 or `temporarily_unavailable`, is mapped to a server error, because
    /// it does not end the authorization.
    ///
    /// - Parameters:
    ///   - error: The error to map.
    ///   - domain: The domain for OAuth errors, which defaults to the token endpoint's.
    /// - Returns: The mapped error.
    static func appAuth(mapping error: any Error, domain: String = OIDOAuthTokenErrorDomain) -> NSError {
        switch error {
        case let error as OAuthError where error.isTransient:
            return .appAuth(.serverError, error.description, underlying: error)
        case let error as OAuthError:
            var response: [String: Any] = [OIDOAuthErrorFieldError: error.code.rawValue]
            response[OIDOAuthErrorFieldErrorDescription] = error.serverDescription
            response[OIDOAuthErrorFieldErrorURI] = error.errorURI
            return .appAuth(domain: domain, response: response, underlying: error)
        case let error as SessionEndedError:
            return .appAuth(
                domain: OIDOAuthTokenErrorDomain,
                response: [
                    OIDOAuthErrorFieldError: "invalid_grant", OIDOAuthErrorFieldErrorDescription: error.description,
                ],
                underlying: error
            )
        case let error as HTTPStatusError:
            let status = NSError(domain: OIDHTTPErrorDomain, code: error.status)
            return .appAuth(.serverError, error.description, underlying: status)
        case let error as ProtocolViolationError:
            return .appAuth(self.code(of: error), error.description, underlying: error)
        case let error as InvalidRequestError:
            return .appAuth(.tokenResponseConstructionError, error.description, underlying: error)
        case is CancellationError:
            return .appAuth(.programCanceledAuthorizationFlow, "The app canceled the operation.")
        case let error as RefreshPostponedError:
            return .appAuth(.networkError, error.description, underlying: error)
        case let error as TransportError:
            return .appAuth(.networkError, error.description, underlying: error)
        default:
            return error as NSError
        }
    }

    private static func code(of violation: ProtocolViolationError) -> OIDErrorCode {
        let rule = violation.rule.rawValue
        if rule.hasPrefix("jwt") || rule.hasPrefix("jws") || rule.hasPrefix("idToken") || rule.hasPrefix("jwk") {
            return .idTokenFailedValidationError
        }
        return rule.hasPrefix("metadata") || rule.hasPrefix("issuer")
            ? .invalidDiscoveryDocument : .tokenResponseConstructionError
    }
}

/// Creates errors with AppAuth's domains and codes.
extension NSError {
    /// Creates a general error.
    ///
    /// The `description` is for developers and must not contain secrets.
    package static func appAuth(
        _ code: OIDErrorCode,
        _ description: String? = nil,
        underlying: (any Error)? = nil
    ) -> NSError {
        var userInfo: [String: Any] = [:]
        userInfo[NSLocalizedDescriptionKey] = description
        userInfo[NSUnderlyingErrorKey] = underlying
        return NSError(domain: OIDGeneralErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Creates an OAuth error in one of the three domains for error responses from a server.
    ///
    /// The `response` contains the server's response without any secrets. If its `error` is missing or not a string,
    /// the code is ``OIDErrorCodeOAuth/other``.
    ///
    /// - SeeAlso: [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2)
    package static func appAuth(
        domain: String,
        response: [String: Any],
        underlying: (any Error)? = nil
    ) -> NSError {
        let members = JSONParameters(response)
        let error = members.text(OIDOAuthErrorFieldError)
        let texts = [
            error, members.text(OIDOAuthErrorFieldErrorDescription), members.text(OIDOAuthErrorFieldErrorURI),
        ]
        var userInfo: [String: Any] = [OIDOAuthErrorResponseErrorKey: members.dictionary]
        userInfo[NSLocalizedDescriptionKey] = texts.compactMap { $0.map { UntrustedText.printable($0) } }
            .joined(separator: ": ")
        userInfo[NSUnderlyingErrorKey] = underlying
        let code = error.map { OIDErrorCodeOAuth(error: $0) } ?? .other
        return NSError(domain: domain, code: code.rawValue, userInfo: userInfo)
    }
}
