// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
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
            response[OIDOAuthErrorFieldErrorDescription] = error.errorDescription
            response[OIDOAuthErrorFieldErrorURI] = error.errorURI
            return .appAuth(domain: domain, response: response, underlying: error)
        case let error as SessionEnded:
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
        case let error as ProtocolViolation:
            return .appAuth(self.code(of: error), error.description, underlying: error)
        case let error as InvalidRequest:
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

    private static func code(of violation: ProtocolViolation) -> OIDErrorCode {
        let rule = violation.rule.rawValue
        if rule.hasPrefix("jwt") || rule.hasPrefix("jws") || rule.hasPrefix("idToken") || rule.hasPrefix("jwk") {
            return .idTokenFailedValidationError
        }
        return rule.hasPrefix("metadata") || rule.hasPrefix("issuer")
            ? .invalidDiscoveryDocument : .tokenResponseConstructionError
    }
}
