// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A scope, which identifies a kind of access that a user can grant.
///
/// A scope can contain any printable ASCII characters except spaces, quotation marks and backslashes. It is checked
/// when a request is created.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
public struct Scope: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The scope as it is sent in a request.
    public let rawValue: String
    /// Creates a scope from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a scope from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates a scope from a string literal.
    public init(stringLiteral value: String) { self.rawValue = value }
    /// The scope as it is sent in a request.
    public var description: String { self.rawValue }

    /// The scope that requests an ID token, which identifies the user.
    public static let openID: Scope = "openid"
    /// The scope that requests the user's email address.
    public static let email: Scope = "email"
    /// The scope that requests the user's name and picture.
    public static let profile: Scope = "profile"
    /// The scope that requests a refresh token, for providers that require it.
    public static let offlineAccess: Scope = "offline_access"
}

/// Functions for the `scope` parameter, a string that contains a list of scopes.
///
/// - SeeAlso: [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.3)
package enum ScopeList {
    /// Returns the distinct scopes, separated by spaces.
    package static func text(_ scopes: [Scope]) throws -> String {
        var seen: Set<Scope> = []
        var texts: [String] = []
        for scope in scopes where seen.insert(scope).inserted {
            guard Self.isScopeToken(scope.rawValue) else {
                let name = UntrustedText.printable(scope.rawValue)
                throw InvalidRequestError("scope", reason: "\"\(name)\" is not a valid scope")
            }
            texts.append(scope.rawValue)
        }
        return texts.joined(separator: " ")
    }

    /// Returns the distinct scopes in a string, without checking them.
    package static func scopes(_ text: String) -> [Scope] {
        var seen: Set<Scope> = []
        return text.split(separator: " ").map { Scope(String($0)) }.filter { seen.insert($0).inserted }
    }

    /// Returns whether a string is a valid scope: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`.
    package static func isScopeToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

extension JSONFields {
    /// Returns the scopes in a string member, or nil if the member is absent or null.
    ///
    /// - Throws: `ProtocolViolationError` with `scopeForm` if a scope is not valid.
    func scopes(_ name: String) throws(ProtocolViolationError) -> [Scope]? {
        guard let text = try self.string(name) else { return nil }
        return try Self.checked(ScopeList.scopes(text), of: name)
    }

    /// Returns the scopes in an array member, or nil if the member is absent or null.
    ///
    /// - Throws: `ProtocolViolationError` with `scopeForm` if a scope is not valid.
    func scopeArray(_ name: String) throws(ProtocolViolationError) -> [Scope]? {
        guard let texts = try self.strings(name) else { return nil }
        return try Self.checked(texts.map { Scope($0) }, of: name)
    }

    private static func checked(_ scopes: [Scope], of name: String) throws(ProtocolViolationError) -> [Scope] {
        guard scopes.allSatisfy({ ScopeList.isScopeToken($0.rawValue) }) else {
            throw ProtocolViolationError(
                .scopeForm,
                expected: "only scopes in printable ASCII without quotation marks and backslashes in \(name)",
                actual: "other characters"
            )
        }
        return scopes
    }
}
