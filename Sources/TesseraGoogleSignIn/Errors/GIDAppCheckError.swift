// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
public import TesseraOAuth

/// The domain of ``GIDAppCheckError`` as an `NSError`.
public let kGIDAppCheckErrorDomain = "com.google.GIDAppCheck"

/// An error of App Check.
public struct GIDAppCheckError: CustomNSError, ErrorGuidance, Hashable {
    /// The error domain, which is ``kGIDAppCheckErrorDomain``.
    public static var errorDomain: String { kGIDAppCheckErrorDomain }

    /// The error codes.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// A token provider returned neither a token nor an error.
        case unexpectedError = 1

        /// Returns whether an error is an App Check error with this code, for use as in
        /// `catch GIDAppCheckError.unexpectedError`.
        public static func ~= (match: Self, error: any Error) -> Bool {
            if let error = error as? GIDAppCheckError { return error.code == match }
            let error = error as NSError
            return error.domain == kGIDAppCheckErrorDomain && error.code == match.rawValue
        }
    }

    /// See ``Code/unexpectedError``.
    public static var unexpectedError: Code { .unexpectedError }

    /// The error code.
    public let code: Code
    /// An error with the user info.
    private let supplied: NSError

    /// Creates an error.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.supplied = NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Creates an error from an `NSError` in the domain ``kGIDAppCheckErrorDomain``.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .unexpectedError, userInfo: error.userInfo)
    }

    /// The error code's raw value.
    public var errorCode: Int { self.code.rawValue }
    /// The user info with which the error was created, and the description.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: self.description].merging(self.supplied.userInfo) { $1 }
    }
    /// The user info, which is the same as ``errorUserInfo``.
    public var userInfo: [String: Any] { self.errorUserInfo }

    /// A description of the error.
    public var description: String {
        self.supplied.userInfo[NSLocalizedDescriptionKey] as? String
            ?? "App Check returned neither a token nor an error."
    }
    /// Advice for the developer.
    public var recoverySuggestion: String? { "Check the app's token provider." }

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

extension GIDAppCheckError: _ObjectiveCBridgeableError {
    /// Creates an error from an `NSError` for casts with `as?`, which are possible on Apple platforms.
    ///
    /// Returns nil if the error has another domain or a code that is not a ``Code``.
    public init?(_bridgedNSError error: __shared NSError) {
        guard error.domain == Self.errorDomain, Code(rawValue: error.code) != nil else { return nil }
        self.init(_nsError: error)
    }
}
