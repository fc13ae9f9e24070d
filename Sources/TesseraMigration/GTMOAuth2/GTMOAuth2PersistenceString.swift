// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth
internal import TesseraSupport

/// The text in which GTMOAuth2 and GTMAppAuth stored a session: percent-encoded `key=value` pairs joined by `&`.
///
/// Strings from both libraries can be read. A key may have no value, and a value may contain an unescaped `=`. If a key
/// is repeated, its last value is used.
public struct GTMOAuth2PersistenceString: Sendable, Hashable {
    /// The keys that GTMAppAuth reads and writes, and two that only older versions wrote.
    public enum Key {
        /// The access token.
        public static let accessToken = "access_token"
        /// The refresh token.
        public static let refreshToken = "refresh_token"
        /// The granted scopes, separated by spaces.
        public static let scope = "scope"
        /// The name of the provider.
        public static let serviceProvider = "serviceProvider"
        /// The user's email address.
        public static let userEmail = "userEmail"
        /// Whether the email address is verified, with a value such as `y` or `true`.
        public static let userEmailIsVerified = "userEmailIsVerified"
        /// The user's email address, in strings from GTMOAuth2 and from GTMAppAuth up to 1.3.
        public static let email = "email"
        /// Whether the email address is verified, in strings from GTMOAuth2 and from GTMAppAuth up to 1.3.
        public static let isVerified = "isVerified"
        /// The user's subject identifier.
        public static let userID = "userID"
    }

    /// All values, by their keys.
    package private(set) var members: [String: String]

    /// Creates a string from its keys and values.
    public init(_ members: [String: String] = [:]) { self.members = members }

    /// Reads a string leniently.
    ///
    /// A `%` without two hexadecimal digits is read as a percent sign, and invalid UTF-8 is replaced.
    public init(parsing text: String) {
        self.members = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else { continue }
            self.members[Self.decoded(name)] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
    }

    /// The value for a key, or nil if the key is missing.
    public subscript(key: String) -> String? {
        get { self.members[key] }
        set { self.members[key] = newValue }
    }

    /// The encoded string, sorted by the Unicode scalars of the keys.
    ///
    /// The string is a secret, because it contains tokens.
    public var encoded: String {
        self.members
            .sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
            .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// Whether the string has no keys.
    public var isEmpty: Bool { self.members.isEmpty }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decode(text.utf8) ?? [], as: UTF8.self)
    }
}

extension GTMOAuth2PersistenceString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description that contains only the keys, because the values may be tokens.
    public var description: String { "GTMOAuth2 session with \(self.members.keys.sorted().joined(separator: ", "))" }
    /// A description that contains only the keys.
    public var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension GTMOAuth2PersistenceString {
    /// Creates the string that GTMOAuth2 would store for a user's credentials.
    ///
    /// - Parameters:
    ///   - credentials: The refresh token and the scopes.
    ///   - accessToken: The current access token, if there is one.
    ///   - identity: The user's email address, and whether it is verified.
    ///   - subject: The user's subject identifier.
    ///   - serviceProvider: The provider's name, for example `Google`.
    public init(
        _ credentials: ExistingCredentials,
        accessToken: Secret? = nil,
        identity: Identity = Identity(),
        subject: String? = nil,
        serviceProvider: String? = nil
    ) {
        self.init()
        self[Key.accessToken] = accessToken?.withUnredacted { $0 }
        self[Key.refreshToken] = credentials.refreshToken.withUnredacted { $0 }
        self[Key.scope] = credentials.scopes.isEmpty ? nil : credentials.scopes.map(\.rawValue).joined(separator: " ")
        self[Key.serviceProvider] = serviceProvider
        self[Key.userEmail] = identity.email
        self[Key.userEmailIsVerified] = identity.emailVerified == true ? "y" : nil
        self[Key.userID] = subject
    }

    /// Whether the email address is verified, or nil if the string does not contain this information.
    ///
    /// As in the original libraries, `y`, `yes`, `t`, `true` and positive numbers mean true.
    public var emailIsVerified: Bool? {
        (self[Key.userEmailIsVerified] ?? self[Key.isVerified]).map { Self.isTrue($0) }
    }

    /// Returns whether `NSString.boolValue` is true for a text.
    ///
    /// The text must begin with `y`, `t` or a digit other than 0, after optional whitespace, a sign and zeros.
    package static func isTrue(_ text: String) -> Bool {
        var text = text.drop { $0.isWhitespace }
        if let sign = text.first, "+-".contains(sign) { text = text.dropFirst() }
        return text.first { $0 != "0" }.map { "yYtT123456789".contains($0) } ?? false
    }
}

extension ImportedCredentials {
    /// Creates imported credentials from a GTMOAuth2 string, which contains neither the client nor the provider.
    ///
    /// - Throws: ``MigrationError`` with the code `noRefreshToken` if the string does not contain a refresh token.
    public init(_ string: GTMOAuth2PersistenceString) throws(MigrationError) {
        typealias Key = GTMOAuth2PersistenceString.Key
        guard let refreshToken = string[Key.refreshToken], !refreshToken.isEmpty else {
            throw MigrationError(.noRefreshToken)
        }
        self.init(
            format: .gtmOAuth2,
            credentials: ExistingCredentials(
                refreshToken: Secret(refreshToken),
                scopes: ScopeList.scopes(string[Key.scope] ?? "")
            ),
            email: string[Key.userEmail] ?? string[Key.email],
            subject: string[Key.userID]
        )
    }
}
