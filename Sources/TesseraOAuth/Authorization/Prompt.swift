// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the provider should show to the person; values may be combined, but `none` stands alone.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
public struct Prompt: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value as it stands in the request.
    public let rawValue: String
    /// A value.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A value.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// No page at all: an answer or an error at once.
    public static let none: Prompt = "none"
    /// The person signs in anew.
    public static let login: Prompt = "login"
    /// The person is asked for consent even where it was given before.
    public static let consent: Prompt = "consent"
    /// The person chooses an account.
    public static let selectAccount: Prompt = "select_account"
}
