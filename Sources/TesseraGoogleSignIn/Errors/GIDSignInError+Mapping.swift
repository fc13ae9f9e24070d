// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignInError {
    /// Creates a sign-in error for an error from a lower layer.
    ///
    /// `isFromFetcher` is whether Google's library sends the request that failed with GTMSessionFetcher.
    init(mapping error: any Error, isFromFetcher: Bool = false) {
        if let error = error as? GIDSignInError {
            self = error
        } else {
            self.init(
                Self.code(of: error),
                detail: nil,
                underlying: error is CancellationError ? nil : error,
                isFromFetcher: isFromFetcher
            )
        }
    }

    /// Returns the HTTP status of an error response, or nil for any other error.
    static func status(of error: any Error) -> Int? {
        (error as? HTTPStatusError)?.status ?? (error as? OAuthError)?.status
    }

    /// Returns the error of AppAuth or GTMSessionFetcher that Google's library reports in place of an error, if any.
    static func original(of error: any Error, isFromFetcher: Bool) -> NSError? {
        guard let (domain, code) = isFromFetcher ? self.fetcherCode(of: error) : self.appAuthCode(of: error) else {
            return nil
        }
        return NSError(
            domain: domain,
            code: code,
            userInfo: [NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error as NSError]
        )
    }

    private static func fetcherCode(of error: any Error) -> (domain: String, code: Int)? {
        self.status(of: error).map { (kGTMSessionFetcherStatusDomain, $0) }
    }

    private static func appAuthCode(of error: any Error) -> (domain: String, code: Int)? {
        switch error {
        case let error as SessionEndedError:
            return error.cause.map { (OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth(error: $0.code.rawValue).rawValue) }
        case let error as OAuthError where error.status != nil && !error.isTransient:
            return (OIDOAuthTokenErrorDomain, OIDErrorCodeOAuth(error: error.code.rawValue).rawValue)
        case _ where self.status(of: error) != nil:
            return (OIDGeneralErrorDomain, OIDErrorCode.serverError.rawValue)
        case is TransportError:
            return (OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue)
        case let error as ProtocolViolationError where Self.concernsIDToken(error):
            return (OIDGeneralErrorDomain, OIDErrorCode.idTokenFailedValidationError.rawValue)
        default:
            return nil
        }
    }

    private static func concernsIDToken(_ violation: ProtocolViolationError) -> Bool {
        ["idToken", "jwt", "jws"].contains { violation.rule.rawValue.hasPrefix($0) }
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        case is CancellationError: .canceled
        // If there is a detail, the sheet was closed by a redirect that does not belong to the sign-in, not by the
        // user.
        case let error as SignInError where error.code == .canceled: error.detail == nil ? .canceled : .unknown
        case SignInError.Code.scopesAlreadyGranted: .scopesAlreadyGranted
        case SignInError.Code.accountMismatch: .mismatchWithCurrentUser
        case SignInError.Code.domainMismatch: .hostedDomainMismatch
        case SignInError.Code.invalidConfiguration, SignInError.Code.noListener, is InvalidRequestError:
            .invalidConfiguration
        case OAuthError.Code.accessDenied: .accessDenied
        case SessionEndedError.Code.signedOut: .hasNoAuthInKeychain
        case is SessionEndedError: .sessionEnded
        case is StoreError, is KeychainStore.Error: .keychain
        default: .unknown
        }
    }
}
