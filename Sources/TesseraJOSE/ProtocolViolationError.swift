// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A response or token that violates the protocol.
///
/// The response or token is discarded. `actual` never contains a secret. Control and format characters in `expected`
/// and `actual` are escaped, and the texts are truncated to 400 and 200 characters, respectively.
///
/// - SeeAlso: [RFC 9700, section 2](https://www.rfc-editor.org/rfc/rfc9700.html#section-2)
public struct ProtocolViolationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that was violated.
    public let rule: Rule
    /// A description of what the rule requires.
    public let expected: String
    /// A description of the received value, if it can be shown.
    public let actual: String?
    /// The section of the standard, for example `OpenID Connect Core 1.0, section 3.1.3.7`.
    public let section: String

    /// Creates an error, escaping and truncating the texts.
    public init(_ rule: Rule, expected: String, actual: String? = nil, section: String) {
        self.rule = rule
        self.expected = expected.printable(limit: 400)
        self.actual = actual?.printable(limit: 200)
        self.section = section
    }

    /// Creates an error for a rule that is defined in a single section.
    package init(_ rule: Rule, expected: String, actual: String? = nil) {
        self.init(rule, expected: expected, actual: actual, section: rule.section)
    }

    /// A one-line description that contains the rule, the expected and actual values, and the section of the standard.
    public var description: String {
        let got = self.actual.map { ", got \($0)" } ?? ""
        let comparison = "expected \(self.expected)\(got)"
        return "The provider's response violates the protocol (\(self.rule)): \(comparison) [\(self.section)]"
    }

    /// A protocol rule, which is identified by its name and can be custom.
    ///
    /// You can use a rule as a pattern, as in `catch ProtocolViolationError.Rule.issuerMatch`.
    public struct Rule: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name of the rule, for example `jwt.audience`.
        public let rawValue: String
        /// The section that defines the rule, or an empty string if there are several.
        package let section: String

        /// Creates a rule from its name.
        public init(rawValue: String) { self.init(rawValue, "") }

        package init(_ name: String, _ section: String) { (self.rawValue, self.section) = (name, section) }

        /// The name of the rule.
        public var description: String { self.rawValue }

        /// Returns whether two rules have the same name.
        public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.rawValue) }

        /// Returns whether an error is a violation of the given rule.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? ProtocolViolationError)?.rule == pattern
        }
    }
}

extension ProtocolViolationError.Rule {
    /// A signed token must have three parts in canonical base64url, and its header must be a JSON object.
    public static let jwsFormat = Self("jws.format", "RFC 7515, section 7.1")
    /// The signature algorithm must be supported and match the key, and must not be `none`.
    public static let jwsAlgorithm = Self("jws.algorithm", "RFC 8725, section 3.1")
    /// A header must not require extensions.
    public static let jwsCritical = Self("jws.critical", "RFC 7515, section 4.1.11")
    /// The signature must be valid for the key.
    public static let jwsSignature = Self("jws.signature", "RFC 7515, section 5.2")
    /// The token must be signed and not encrypted, unless decryption is configured.
    public static let jweUnsupported = Self("jwe.unsupported", "RFC 7516, section 3.1")
    /// An encrypted token must be encrypted for this client.
    public static let jweDecryption = Self("jwe.decryption", "OpenID Connect Core 1.0, section 10.2")
    /// The payload of a token must be a JSON object with valid claims and no duplicate names.
    public static let jwtClaims = Self("jwt.claims", "RFC 7519, section 4.1")
    /// A key must have the members that its type requires, and they must form a usable key.
    public static let jwkFormat = Self("jwk.format", "RFC 7517, section 4")
    /// A key set must be a JSON object, and its `keys` must be an array that is not too long.
    public static let jwkSetFormat = Self("jwks.format", "RFC 7517, section 5")
}
