// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
public import TesseraOAuth

/// The domain of ``GIDSignInError`` as an `NSError`.
public let kGIDSignInErrorDomain = "com.google.GIDSignIn"

/// Why a call of ``GIDSignIn`` or ``GIDGoogleUser`` failed.
///
/// What came from below is `underlyingError`, also under `NSUnderlyingErrorKey`. No secret is in it.
public struct GIDSignInError: CustomNSError, ErrorGuidance {
    /// ``kGIDSignInErrorDomain``.
    public static var errorDomain: String { kGIDSignInErrorDomain }
    /// What happened.
    public let code: Code
    /// Why, where something below failed.
    public let underlyingError: (any Error)?
    private let detail: String?

    /// An error.
    public init(_ code: Code, underlying: (any Error)? = nil) {
        self.init(code, detail: nil, underlying: underlying)
    }

    init(_ code: Code, detail: String?, underlying: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.underlyingError = underlying
    }

    /// The number of the code.
    public var errorCode: Int { self.code.rawValue }

    /// The description, and the underlying error.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: self.description]
        if let underlyingError { userInfo[NSUnderlyingErrorKey] = underlyingError as NSError }
        return userInfo
    }

    /// Whether the user has to sign in again.
    public var endsSession: Bool {
        (self.underlyingError as? any ErrorGuidance)?.endsSession ?? self.code.endsSession
    }
    /// Whether the same call may succeed later.
    public var isRetryable: Bool { (self.underlyingError as? any ErrorGuidance)?.isRetryable ?? false }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        (self.underlyingError as? any ErrorGuidance)?.recoverySuggestion ?? self.code.advice
    }

    /// What happened, in a sentence, and why.
    public var description: String {
        let why = self.detail ?? self.underlyingError.map { "\($0)" }
        return why.map { "\(self.code.sentence): \($0)" } ?? "\(self.code.sentence)."
    }
}

extension GIDSignInError.Code {
    fileprivate var endsSession: Bool {
        [.hasNoAuthInKeychain, .refreshTokenExpired, .sessionEnded].contains(self)
    }

    fileprivate var sentence: String {
        switch self {
        case .unknown: "The sign-in failed"
        case .keychain: "The stored session could not be read or written"
        case .hasNoAuthInKeychain: "Nobody is signed in"
        case .canceled: "The sign-in was given up"
        case .EMM: "The device does not fulfil the organization's rules"
        case .ambiguousClaims: "A claim was asked for as essential and not"
        case .scopesAlreadyGranted: "Every one of these scopes is granted already"
        case .mismatchWithCurrentUser: "This is not the current user"
        case .jsonSerializationFailure: "The claims cannot be written as JSON"
        case .refreshTokenExpired: "The access ended by time"
        case .accessDenied: "Access was denied"
        case .sessionEnded: "The session has ended"
        case .invalidConfiguration: "The sign-in is not set up correctly"
        case .hostedDomainMismatch: "The account is not in the required domain"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .hasNoAuthInKeychain, .refreshTokenExpired, .sessionEnded: "Sign in again."
        case .keychain: "Sign in again. If that does not help, look at the underlying error."
        case .canceled, .accessDenied: "Start the sign-in again when ready."
        case .ambiguousClaims: "Ask for each claim once."
        case .scopesAlreadyGranted: "Nothing needs to be done."
        case .mismatchWithCurrentUser: "Use GIDSignIn's current user, and choose that account in the browser."
        case .invalidConfiguration: "Set GIDSignIn's configuration, or GIDClientID in Info.plist."
        default: "Look at the underlying error."
        }
    }
}

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
