// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension NSError {
    /// Maps an error to AppAuth's domains and codes.
    ///
    /// An OAuth error with status 429 or 5xx is mapped to a server error, because it does not end the authorization.
    ///
    /// - Parameters:
    ///   - error: The error to map.
    ///   - domain: The domain for OAuth errors, which defaults to the token endpoint's.
    /// - Returns: The mapped error.
    static func appAuth(mapping error: any Error, domain: String = OIDOAuthTokenErrorDomain) -> NSError {
        switch error {
        case let error as FailedExchange:
            return error.mapped(to: domain)
        case let error as OAuthError:
            let cause: any Error = error.status.map { NSError.appAuth(status: $0, nil, underlying: error) } ?? error
            if let status = error.status, status == 429 || status >= 500 {
                return .appAuth(.serverError, error.description, underlying: cause)
            }
            var response: [String: Any] = [OIDOAuthErrorFieldError: error.code.rawValue]
            response[OIDOAuthErrorFieldErrorDescription] = error.serverDescription
            response[OIDOAuthErrorFieldErrorURI] = error.errorURI
            response["error_subtype"] = error.subtype
            return .appAuth(domain: domain, response: response, underlying: cause)
        case let error as SessionEndedError:
            return .appAuth(
                domain: OIDOAuthTokenErrorDomain,
                response: [
                    OIDOAuthErrorFieldError: "invalid_grant", OIDOAuthErrorFieldErrorDescription: error.description,
                ],
                underlying: error
            )
        case let error as HTTPStatusError:
            let cause = NSError.appAuth(status: error.status, nil, underlying: error)
            return .appAuth(.serverError, error.description, underlying: cause)
        case let error as ProtocolViolationError:
            return .appAuth(self.code(of: error), error.description, underlying: error)
        case let error as InvalidRequestError:
            return .appAuth(.tokenResponseConstructionError, error.description, underlying: error)
        case is CancellationError:
            return .appAuth(.programCanceledAuthorizationFlow, "The app canceled the operation.")
        case let error as RefreshPostponedError:
            return .appAuth(.networkError, error.description, underlying: error)
        case let error as TransportError:
            return .appAuth(.networkError, error.description, underlying: FetchErrors.mapped(error))
        default:
            return error as NSError
        }
    }

    private static func code(of violation: ProtocolViolationError) -> OIDErrorCode {
        let rule = violation.rule.rawValue
        if rule.hasPrefix("jwe") || [.jwsFormat, .jwtClaims].contains(violation.rule) { return .idTokenParsingError }
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

    /// Creates an error for an unsuccessful HTTP response.
    ///
    /// The `text` is the response's body without secrets.
    package static func appAuth(status: Int, _ text: String?, underlying: (any Error)? = nil) -> NSError {
        var userInfo: [String: Any] = [:]
        userInfo[NSLocalizedDescriptionKey] = text
        userInfo[NSUnderlyingErrorKey] = underlying
        return NSError(domain: OIDHTTPErrorDomain, code: status, userInfo: userInfo)
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
        // The description of a value that is not a string is its JSON.
        func text(_ name: String) -> String? {
            members[name].map { UntrustedText.printable($0.stringValue ?? $0.text()) }
        }
        let description = text(OIDOAuthErrorFieldErrorDescription).map { ": \($0)" } ?? ""
        let page = text(OIDOAuthErrorFieldErrorURI).map { " - \($0)" } ?? ""
        var userInfo: [String: Any] = [OIDOAuthErrorResponseErrorKey: members.dictionary]
        userInfo[NSLocalizedDescriptionKey] = (text(OIDOAuthErrorFieldError) ?? "") + description + page
        userInfo[NSUnderlyingErrorKey] = underlying
        let code = members.text(OIDOAuthErrorFieldError).map { OIDErrorCodeOAuth(error: $0) } ?? .other
        return NSError(domain: domain, code: code.rawValue, userInfo: userInfo)
    }
}
