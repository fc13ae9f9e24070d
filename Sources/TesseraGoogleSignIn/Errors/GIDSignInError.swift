// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
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
