// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth
internal import TesseraSupport

/// What GTMOAuth2, the ancestor of GTMAppAuth, kept of a session: `key=value` pairs joined by `&`, percent-encoded.
///
/// Reads what both ancestors wrote. A key without a value, an unescaped `=` in a value and a key that comes twice are
/// taken as they stand there; of two equal keys the last one counts.
public struct GTMOAuth2PersistenceString: Sendable, Hashable {
    /// The names of the members: those that GTMAppAuth reads and writes, and two that only GTMOAuth2 wrote.
    public enum Key {
        /// The access token.
        public static let accessToken = "access_token"
        /// The refresh token.
        public static let refreshToken = "refresh_token"
        /// The granted scopes, separated by spaces.
        public static let scope = "scope"
        /// Who signed the person in.
        public static let serviceProvider = "serviceProvider"
        /// The email address.
        public static let userEmail = "userEmail"
        /// Whether that address is verified, as `y` or `true` and the like.
        public static let userEmailIsVerified = "userEmailIsVerified"
        /// The email address, as GTMOAuth2 and GTMAppAuth up to 1.3 called it.
        public static let email = "email"
        /// Whether that address is verified, as GTMOAuth2 and GTMAppAuth up to 1.3 called it.
        public static let isVerified = "isVerified"
        /// The subject.
        public static let userID = "userID"
    }

    private var members: [String: String]

    /// Of members with values.
    public init(_ members: [String: String] = [:]) { self.members = members }

    /// Reads a string.
    ///
    /// Nothing in it is an error: `%` without two hexadecimal digits is a percent sign, bytes that are no UTF-8 are
    /// replaced.
    public init(parsing text: String) {
        self.members = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else { continue }
            self.members[Self.decoded(name)] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
    }

    /// A member's value.
    public subscript(key: String) -> String? {
        get { self.members[key] }
        set { self.members[key] = newValue }
    }

    /// The string, its members in the order of their names' Unicode scalars.
    ///
    /// It holds tokens, and is as secret as they are.
    public var encoded: String {
        self.members
            .sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
            .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// Whether there is no member.
    public var isEmpty: Bool { self.members.isEmpty }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decode(text.utf8) ?? [], as: UTF8.self)
    }
}

extension GTMOAuth2PersistenceString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The members' names: the values may be tokens.
    public var description: String { "GTMOAuth2 session with \(self.members.keys.sorted().joined(separator: ", "))" }
    /// The members' names.
    public var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension GTMOAuth2PersistenceString {
    /// What GTMOAuth2 would keep of a grant.
    ///
    /// - Parameters:
    ///   - grant: the refresh token and the scopes.
    ///   - accessToken: the newest access token, where there is one.
    ///   - identity: whose it is: the email address, and whether that is verified.
    ///   - subject: the person's identifier.
    ///   - serviceProvider: who signed the person in, `Google` for example.
    public init(
        _ grant: ExistingGrant,
        accessToken: Secret? = nil,
        identity: Identity = Identity(),
        subject: String? = nil,
        serviceProvider: String? = nil
    ) {
        self.init()
        self[Key.accessToken] = accessToken?.withUnredacted { $0 }
        self[Key.refreshToken] = grant.refreshToken.withUnredacted { $0 }
        self[Key.scope] = grant.scopes.isEmpty ? nil : grant.scopes.map(\.rawValue).joined(separator: " ")
        self[Key.serviceProvider] = serviceProvider
        self[Key.userEmail] = identity.email
        self[Key.userEmailIsVerified] = identity.emailVerified == true ? "y" : nil
        self[Key.userID] = subject
    }

    /// Whether the email address is verified: `y`, `yes`, `t`, `true` or a number from 1, as the ancestors read it; nil
    /// where the string does not say.
    public var emailIsVerified: Bool? {
        (self[Key.userEmailIsVerified] ?? self[Key.isVerified]).map { Self.isTrue($0) }
    }

    /// Whether `NSString.boolValue` of a text is true: it begins with `y`, `t` or a digit except 0.
    ///
    /// White space, a sign and zeros may come before.
    package static func isTrue(_ text: String) -> Bool {
        var text = text.drop { $0.isWhitespace }
        if let sign = text.first, "+-".contains(sign) { text = text.dropFirst() }
        return text.first { $0 != "0" }.map { "yYtT123456789".contains($0) } ?? false
    }
}

extension ImportedGrant {
    /// The grant of a string, which names neither client nor provider.
    ///
    /// - Throws: ``MigrationError`` `noRefreshToken`.
    public init(_ string: GTMOAuth2PersistenceString) throws(MigrationError) {
        typealias Key = GTMOAuth2PersistenceString.Key
        guard let refreshToken = string[Key.refreshToken], !refreshToken.isEmpty else {
            throw MigrationError(.noRefreshToken)
        }
        self.init(
            format: .gtmOAuth2,
            grant: ExistingGrant(
                refreshToken: Secret(refreshToken),
                scopes: ScopeList.scopes(string[Key.scope] ?? "")
            ),
            email: string[Key.userEmail] ?? string[Key.email],
            subject: string[Key.userID]
        )
    }
}
