// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// An answer that breaks the protocol: what was expected, what came, and the paragraph that says so.
///
/// Nothing that was received is trusted after one of these. `actual` never holds a secret. Both it and `expected`, which
/// may name a member of the answer, are cut (to 200 and 400 characters), and their control and format characters are
/// escaped.
///
/// - SeeAlso: [RFC 9700, section 2](https://www.rfc-editor.org/rfc/rfc9700.html#section-2)
public struct ProtocolViolationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that was broken.
    public let rule: Rule
    /// What the rule asks for.
    public let expected: String
    /// What came instead, where it may be shown.
    public let actual: String?
    /// The section of the standard, for example `OpenID Connect Core 1.0, section 3.1.3.7`.
    public let section: String

    /// Makes a violation; what may hold text from outside is cut and escaped here, in one place.
    public init(_ rule: Rule, expected: String, actual: String? = nil, section: String) {
        self.rule = rule
        self.expected = expected.printable(limit: 400)
        self.actual = actual?.printable(limit: 200)
        self.section = section
    }

    /// Creates a violation of a rule that is written in one section.
    package init(_ rule: Rule, expected: String, actual: String? = nil) {
        self.init(rule, expected: expected, actual: actual, section: rule.section)
    }

    /// One line: the rule, what was expected, what came, and where it is written.
    public var description: String {
        let came = self.actual.map { ", got \($0)" } ?? ""
        return
            "The provider's answer breaks the protocol (\(self.rule)): expected \(self.expected)\(came) [\(self.section)]"
    }

    /// The name of a rule; open, since standards grow.
    ///
    /// `catch ProtocolViolationError.Rule.issuerMatch` reads as a sentence.
    public struct Rule: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The rule's name, for example `jwt.audience`.
        public let rawValue: String
        /// Where the rule is written, if that is one place; empty otherwise.
        package let section: String

        /// A rule of that name.
        public init(rawValue: String) { self.init(rawValue, "") }

        package init(_ name: String, _ section: String) { (self.rawValue, self.section) = (name, section) }

        /// The rule's name.
        public var description: String { self.rawValue }

        /// Rules are equal when their names are.
        public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.rawValue) }

        /// Whether the error is a violation of this rule.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? ProtocolViolationError)?.rule == pattern
        }
    }
}

extension ProtocolViolationError.Rule {
    /// A signed token has three parts in canonical base64url, and its header is a JSON object.
    public static let jwsFormat = Self("jws.format", "RFC 7515, section 7.1")
    /// The signature algorithm is one that is verified here, and fits the key; `none` never does.
    public static let jwsAlgorithm = Self("jws.algorithm", "RFC 8725, section 3.1")
    /// A header names no extension that must be understood.
    public static let jwsCritical = Self("jws.critical", "RFC 7515, section 4.1.11")
    /// The signature is the key's.
    public static let jwsSignature = Self("jws.signature", "RFC 7515, section 5.2")
    /// The token is signed and not encrypted, where nothing was given that decrypts.
    public static let jweUnsupported = Self("jwe.unsupported", "RFC 7516, section 3.1")
    /// An encrypted token is for this client's key.
    public static let jweDecryption = Self("jwe.decryption", "OpenID Connect Core 1.0, section 10.2")
    /// The payload of a token is a JSON object without two members of one name.
    public static let jwtClaims = Self("jwt.claims", "RFC 7519, section 4.1")
    /// A key has the members of its type, and they make a usable key.
    public static let jwkFormat = Self("jwk.format", "RFC 7517, section 4")
    /// A key set is a JSON object whose `keys` is an array of bounded length.
    public static let jwkSetFormat = Self("jwks.format", "RFC 7517, section 5")
}
