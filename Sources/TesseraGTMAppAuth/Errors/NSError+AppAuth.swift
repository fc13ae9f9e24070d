// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import TesseraOAuth

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
