// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
public import TesseraOAuth

/// The domain of ``GIDSignInError`` as an `NSError`.
public let kGIDSignInErrorDomain = "com.google.GIDSignIn"

/// An error that ``GIDSignIn`` or ``GIDGoogleUser`` reports.
///
/// The error contains no secrets. Its cause is available as ``underlyingError``. The user info has it under
/// `NSUnderlyingErrorKey`. If Google's library reports an error of AppAuth or GTMSessionFetcher instead, the cause has
/// that error's domain and code there.
public struct GIDSignInError: CustomNSError, ErrorGuidance, Hashable {
    /// The error domain, which is ``kGIDSignInErrorDomain``.
    public static var errorDomain: String { kGIDSignInErrorDomain }
    /// The error code.
    public let code: Code
    /// The error that caused this one, if any.
    public let underlyingError: (any Error)?
    private let detail: String?
    /// An error with the user info that the app supplied.
    private let supplied: NSError?
    /// Whether Google's library sends the request that failed with GTMSessionFetcher.
    private let isFromFetcher: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The error code.
    ///   - userInfo: The error's user info. The value for `NSUnderlyingErrorKey` becomes the ``underlyingError``, and
    ///     the value for `NSLocalizedDescriptionKey` becomes the ``description``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(
            code,
            detail: nil,
            underlying: userInfo[NSUnderlyingErrorKey] as? any Error,
            supplied: userInfo.isEmpty
                ? nil : NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
        )
    }

    /// Creates an error from an `NSError`.
    ///
    /// - Parameter error: An error in the domain ``kGIDSignInErrorDomain``. If its code is not a ``Code``, the code of
    ///   the new error is `unknown`.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .unknown, userInfo: error.userInfo)
    }

    /// Creates an error with its cause.
    public init(_ code: Code, underlying: (any Error)?) {
        self.init(code, detail: nil, underlying: underlying)
    }

    init(
        _ code: Code,
        detail: String?,
        underlying: (any Error)? = nil,
        supplied: NSError? = nil,
        isFromFetcher: Bool = false
    ) {
        self.code = code
        self.detail = detail
        self.underlyingError = underlying
        self.supplied = supplied
        self.isFromFetcher = isFromFetcher
    }

    /// The error code's raw value.
    public var errorCode: Int { self.code.rawValue }

    /// The user info, which contains the description, the underlying error, and the user info that the app supplied.
    public var errorUserInfo: [String: Any] {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: self.description]
        if let underlyingError {
            userInfo[NSUnderlyingErrorKey] =
                Self.original(of: underlyingError, isFromFetcher: self.isFromFetcher) ?? underlyingError as NSError
        }
        return userInfo.merging(self.supplied?.userInfo ?? [:]) { $1 }
    }

    /// The user info, which is the same as ``errorUserInfo``.
    public var userInfo: [String: Any] { self.errorUserInfo }

    /// Whether the user has to sign in again.
    public var endsSession: Bool {
        (self.underlyingError as? any ErrorGuidance)?.endsSession ?? self.code.endsSession
    }
    /// Whether the same call may succeed later.
    public var isRetryable: Bool { (self.underlyingError as? any ErrorGuidance)?.isRetryable ?? false }
    /// Advice for the user or the developer.
    public var recoverySuggestion: String? {
        (self.underlyingError as? any ErrorGuidance)?.recoverySuggestion ?? self.code.advice
    }

    /// A description of the error and its cause.
    public var description: String {
        if let text = self.supplied?.userInfo[NSLocalizedDescriptionKey] as? String { return text }
        // A cancellation has no cause that would explain it.
        let cause = self.code == .canceled ? nil : self.underlyingError
        let why = self.detail ?? cause.map { "\($0)" }
        return why.map { "\(self.code.sentence): \($0)" } ?? "\(self.code.sentence)."
    }
}

extension GIDSignInError: _ObjectiveCBridgeableError {
    /// Creates an error from an `NSError` for casts with `as?`, which are possible on Apple platforms.
    ///
    /// Returns nil if the error has another domain or a code that is not a ``Code``.
    public init?(_bridgedNSError error: __shared NSError) {
        guard error.domain == Self.errorDomain, Code(rawValue: error.code) != nil else { return nil }
        self.init(_nsError: error)
    }
}

extension GIDSignInError {
    /// Returns whether two errors have the same code and the same description.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.description == right.description
    }

    /// Hashes the code and the description.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.description)
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
        case .hasNoAuthInKeychain: "Not signed in"
        case .canceled: "The user canceled the sign-in flow"
        case .EMM: "The device does not comply with the organization's policy"
        case .ambiguousClaims: "A claim was requested both as essential and as voluntary"
        case .scopesAlreadyGranted: "All requested scopes are already granted"
        case .mismatchWithCurrentUser: "The account is not the current user"
        case .jsonSerializationFailure: "The claims could not be encoded as JSON"
        case .refreshTokenExpired: "The refresh token has expired"
        case .accessDenied: "Access was denied"
        case .sessionEnded: "The session has ended"
        case .invalidConfiguration: "The sign-in is not set up correctly"
        case .hostedDomainMismatch: "The account is not in the required domain"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .hasNoAuthInKeychain, .refreshTokenExpired, .sessionEnded: "Sign in again."
        case .keychain: "Sign in again. If the error persists, see the underlying error."
        case .canceled, .accessDenied: "Start the sign-in again."
        case .ambiguousClaims: "Request each claim once."
        case .scopesAlreadyGranted: "No action is necessary."
        case .mismatchWithCurrentUser: "Use GIDSignIn's current user, and choose that account in the browser."
        case .invalidConfiguration: "Set GIDSignIn's configuration, or GIDClientID in Info.plist."
        default: "See the underlying error."
        }
    }
}

extension GIDSignInError {
    /// The error codes from Google's library, and four additional ones.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// An error for which there is no other code. The underlying error describes it.
        case unknown = -1
        /// The stored session could not be read or written, so it is not known whether a user is signed in.
        ///
        /// The underlying error describes the cause. See ``GIDSignIn/restorePreviousSignIn(completion:)``.
        case keychain = -2
        /// No user is signed in.
        case hasNoAuthInKeychain = -4
        /// The user closed the page, or the app canceled the sign-in.
        case canceled = -5
        /// An enterprise mobility management policy was violated.
        ///
        /// Tessera never throws this error.
        case EMM = -6
        /// A claim was requested both as essential and as voluntary.
        case ambiguousClaims = -7
        /// All requested scopes have already been granted.
        case scopesAlreadyGranted = -8
        /// The user chose another account, or this user is not the current one.
        case mismatchWithCurrentUser = -9
        /// The claims could not be encoded as JSON.
        ///
        /// Tessera never throws this error.
        case jsonSerializationFailure = -10
        /// The refresh token has expired.
        ///
        /// The user has to sign in again.
        case refreshTokenExpired = -11
        /// The user or an administrator denied access.
        case accessDenied = -12
        /// Google revoked access, or the session ended for another reason.
        ///
        /// The user has to sign in again.
        case sessionEnded = -13
        /// A setting is missing or invalid, such as the client ID or a redirect URI that the app cannot receive.
        case invalidConfiguration = -14
        /// The account is not in the domain that the configuration requires.
        case hostedDomainMismatch = -15

        /// Returns whether an error is a sign-in error with this code, for use as in `catch GIDSignInError.canceled`.
        ///
        /// The error can also be an `NSError` in the domain ``kGIDSignInErrorDomain``.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            if let error = error as? GIDSignInError { return error.code == pattern }
            let error = error as NSError
            return error.domain == kGIDSignInErrorDomain && error.code == pattern.rawValue
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
