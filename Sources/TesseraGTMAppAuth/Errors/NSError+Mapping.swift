// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth

extension NSError {
    /// The error with AppAuth's domains and codes for what came from below.
    ///
    /// A refusal that is meant for now only (429, `temporarily_unavailable`) is a failure of the server, and not of the
    /// authorization.
    ///
    /// - Parameters:
    ///   - error: what came.
    ///   - domain: whose refusals they are: the token endpoint's unless told otherwise.
    /// - Returns: the error.
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
            return .appAuth(.programCanceledAuthorizationFlow, "The program cancelled.")
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

/// Errors with AppAuth's domains and codes.
extension NSError {
    /// An error of this side; `description` is for developers and holds no secret.
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

    /// A server's refusal, in one of the three domains that begin with `oauth_`.
    ///
    /// `response` is what the server sent, without any secret that it repeated; an `error` that is missing or no text
    /// makes ``OIDErrorCodeOAuth/other``.
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
