// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth

extension GIDSignInError {
    /// The error of a call, for what came from below.
    init(mapping error: any Error) {
        if let error = error as? GIDSignInError {
            self = error
        } else {
            self.init(Self.code(of: error), underlying: error is CancellationError ? nil : error)
        }
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        case is CancellationError: .canceled
        // With a detail the sheet was closed by a redirect that does not belong to the sign-in, not by the user.
        case let error as SignInError where error.code == .givenUp: error.detail == nil ? .canceled : .unknown
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
