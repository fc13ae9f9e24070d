// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension GIDSignInError {
    /// What happened; the numbers are those of Google's library, and four more.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// None of the others; the underlying error says more.
        case unknown = -1
        /// The stored session could not be read or written: it is not known whether a user is signed in.
        ///
        /// The underlying error says why; see ``GIDSignIn/restorePreviousSignIn(completion:)``.
        case keychain = -2
        /// Nobody is signed in here.
        case hasNoAuthInKeychain = -4
        /// The person closed the page, or the program cancelled.
        case canceled = -5
        /// A rule of enterprise mobility management; never thrown here.
        case EMM = -6
        /// One claim was asked for twice, as essential and not.
        case ambiguousClaims = -7
        /// Every scope that was asked for is granted already.
        case scopesAlreadyGranted = -8
        /// Another account answered, or this user is not the current one.
        case mismatchWithCurrentUser = -9
        /// Claims that cannot be written as JSON; never thrown here.
        case jsonSerializationFailure = -10
        /// The grant ended by time: the person has to sign in again.
        case refreshTokenExpired = -11
        /// The person, or the administrator, said no.
        case accessDenied = -12
        /// Google took the grant back, or the session ended otherwise: the person has to sign in again.
        case sessionEnded = -13
        /// A setting is missing or wrong: no client ID, a redirect that cannot be received.
        case invalidConfiguration = -14
        /// The account is not in the domain that the configuration demands.
        case hostedDomainMismatch = -15

        /// Whether an error is a sign-in error with this code: for `catch GIDSignInError.canceled`.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? GIDSignInError)?.code == pattern
        }
    }

    /// See ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// See ``Code/keychain``.
    public static var keychain: Code { .keychain }
    /// See ``Code/hasNoAuthInKeychain``.
    public static var hasNoAuthInKeychain: Code { .hasNoAuthInKeychain }
    /// See ``Code/canceled``.
    public static var canceled: Code { .canceled }
    /// See ``Code/EMM``.
    public static var EMM: Code { .EMM }
    /// See ``Code/ambiguousClaims``.
    public static var ambiguousClaims: Code { .ambiguousClaims }
    /// See ``Code/scopesAlreadyGranted``.
    public static var scopesAlreadyGranted: Code { .scopesAlreadyGranted }
    /// See ``Code/mismatchWithCurrentUser``.
    public static var mismatchWithCurrentUser: Code { .mismatchWithCurrentUser }
    /// See ``Code/jsonSerializationFailure``.
    public static var jsonSerializationFailure: Code { .jsonSerializationFailure }
    /// See ``Code/refreshTokenExpired``.
    public static var refreshTokenExpired: Code { .refreshTokenExpired }
    /// See ``Code/accessDenied``.
    public static var accessDenied: Code { .accessDenied }
    /// See ``Code/sessionEnded``.
    public static var sessionEnded: Code { .sessionEnded }
    /// See ``Code/invalidConfiguration``.
    public static var invalidConfiguration: Code { .invalidConfiguration }
    /// See ``Code/hostedDomainMismatch``.
    public static var hostedDomainMismatch: Code { .hostedDomainMismatch }
}
