// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraOAuth

/// Creates errors in AppAuth's domains.
public final class OIDErrorUtilities: NSObject {
    /// The number of bytes of a response body that an error's description contains at most.
    private static let bodyLimit = 1_000

    /// Creates an error in ``OIDGeneralErrorDomain``.
    public class func error(
        with code: OIDErrorCode,
        underlyingError: (any Error)?,
        description: String?
    ) -> any Error {
        NSError.appAuth(code, description, underlying: underlyingError)
    }

    /// Creates an error from a server's OAuth error response.
    ///
    /// The code is the one for the response's `error` member. The response is in the user info, under
    /// ``OIDOAuthErrorResponseErrorKey``.
    ///
    /// - Parameters:
    ///   - OAuthErrorDomain: One of the three domains for which ``isOAuthErrorDomain(_:)`` returns true. For any other
    ///     domain, the error is `networkError`.
    ///   - errorResponse: The members of the response. Without a string `error`, the error is `networkError`.
    ///   - underlyingError: The error that caused this one, if any.
    /// - Returns: The error, an `NSError`.
    public class func oAuthError(
        withDomain OAuthErrorDomain: String,
        oAuthResponse errorResponse: [AnyHashable: Any],
        underlyingError: (any Error)?
    ) -> any Error {
        let response = JSONParameters(errorResponse)
        guard self.isOAuthErrorDomain(OAuthErrorDomain), response.text(OIDOAuthErrorFieldError) != nil else {
            return NSError.appAuth(.networkError, "The response is not an OAuth error.", underlying: underlyingError)
        }
        return NSError.appAuth(domain: OAuthErrorDomain, response: response.dictionary, underlying: underlyingError)
    }

    /// Creates an error in ``OIDResourceServerAuthorizationErrorDomain``, for
    /// ``OIDAuthState/update(withAuthorizationError:)``.
    ///
    /// - Parameters:
    ///   - code: A code that the app defines.
    ///   - errorResponse: The members of the server's response, if any, for the user info's
    ///     ``OIDOAuthErrorResponseErrorKey``.
    ///   - underlyingError: The error that caused this one, if any.
    /// - Returns: The error, an `NSError`.
    public class func resourceServerAuthorizationError(
        withCode code: Int,
        errorResponse: [AnyHashable: Any]?,
        underlyingError: (any Error)?
    ) -> any Error {
        var userInfo: [String: Any] = [:]
        userInfo[OIDOAuthErrorResponseErrorKey] = errorResponse.map { JSONParameters($0).dictionary }
        userInfo[NSUnderlyingErrorKey] = underlyingError
        return NSError(domain: OIDResourceServerAuthorizationErrorDomain, code: code, userInfo: userInfo)
    }

    /// Creates an error in ``OIDHTTPErrorDomain`` whose code is the response's status.
    ///
    /// The description is the beginning of the response body, if the body is UTF-8.
    public class func httpError(withHTTPResponse HTTPURLResponse: HTTPURLResponse, data: Data?) -> any Error {
        var userInfo: [String: Any] = [:]
        userInfo[NSLocalizedDescriptionKey] = data.flatMap { String(data: $0.prefix(self.bodyLimit), encoding: .utf8) }
            .map { UntrustedText.printable($0, limit: self.bodyLimit) }
        return NSError(domain: OIDHTTPErrorDomain, code: HTTPURLResponse.statusCode, userInfo: userInfo)
    }

    /// Returns the code for a value of the `error` member, or `other`.
    public class func oAuthErrorCode(from errorCode: String) -> OIDErrorCodeOAuth {
        OIDErrorCodeOAuth(error: errorCode)
    }

    /// Returns whether a domain is that of errors from the authorization, token or registration endpoint.
    public class func isOAuthErrorDomain(_ errorDomain: String) -> Bool {
        [OIDOAuthAuthorizationErrorDomain, OIDOAuthTokenErrorDomain, OIDOAuthRegistrationErrorDomain]
            .contains(errorDomain)
    }

    /// Raises an Objective-C exception, which Swift cannot catch.
    @available(*, unavailable, message: "Throw an error, or call preconditionFailure(_:).")
    public class func raiseException(_ name: String) {}

    /// Raises an Objective-C exception, which Swift cannot catch.
    @available(*, unavailable, message: "Throw an error, or call preconditionFailure(_:).")
    public class func raiseException(_ name: String, message: String) {}
}
