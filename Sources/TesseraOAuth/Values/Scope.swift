// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A scope: one kind of access that a person can grant.
///
/// The text is checked when a request is built: a scope may hold any printable ASCII character but space, quotation
/// mark and backslash.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
public struct Scope: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The scope as it stands in a request.
    public let rawValue: String
    /// A scope of that text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A scope of that text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A scope of that text.
    public init(stringLiteral value: String) { self.rawValue = value }
    /// The scope as it stands in a request.
    public var description: String { self.rawValue }

    /// Asks for an ID token: who the person is.
    public static let openID: Scope = "openid"
    /// Asks for the person's email address.
    public static let email: Scope = "email"
    /// Asks for the person's name and picture.
    public static let profile: Scope = "profile"
    /// Asks for a refresh token, at providers that want to be asked.
    public static let offlineAccess: Scope = "offline_access"
}

/// Scopes as one text: the `scope` parameter.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
package enum ScopeList {
    /// The scopes, each once, with a space between.
    package static func text(_ scopes: [Scope]) throws -> String {
        var seen: Set<Scope> = []
        var texts: [String] = []
        for scope in scopes where seen.insert(scope).inserted {
            guard Self.isScopeToken(scope.rawValue) else {
                throw InvalidRequestError("scope", reason: "\"\(UntrustedText.printable(scope.rawValue))\" is no scope")
            }
            texts.append(scope.rawValue)
        }
        return texts.joined(separator: " ")
    }

    /// Returns the scopes of a text, each once, without checking them.
    package static func scopes(_ text: String) -> [Scope] {
        var seen: Set<Scope> = []
        return text.split(separator: " ").map { Scope(String($0)) }.filter { seen.insert($0).inserted }
    }

    /// Returns whether a text is one scope: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`.
    package static func isScopeToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

extension JSONFields {
    /// Returns the scopes of a member that lists them in one string, nil where it is absent or null.
    ///
    /// - Throws: `scopeForm` for a scope outside the syntax.
    func scopes(_ name: String) throws(ProtocolViolationError) -> [Scope]? {
        guard let text = try self.string(name) else { return nil }
        return try Self.checked(ScopeList.scopes(text), of: name)
    }

    /// Returns the scopes of a member that is an array of them, nil where it is absent or null.
    ///
    /// - Throws: `scopeForm` for a scope outside the syntax.
    func scopeArray(_ name: String) throws(ProtocolViolationError) -> [Scope]? {
        guard let texts = try self.strings(name) else { return nil }
        return try Self.checked(texts.map { Scope($0) }, of: name)
    }

    private static func checked(_ scopes: [Scope], of name: String) throws(ProtocolViolationError) -> [Scope] {
        guard scopes.allSatisfy({ ScopeList.isScopeToken($0.rawValue) }) else {
            throw ProtocolViolationError(
                .scopeForm,
                expected: "only scopes of printable ASCII, without quotation marks and backslashes, in \(name)",
                actual: "other characters"
            )
        }
        return scopes
    }
}
