// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
