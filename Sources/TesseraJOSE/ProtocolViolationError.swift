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
public struct ProtocolViolationError: Error, Sendable, Hashable {
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
}

extension ProtocolViolationError: CustomStringConvertible {
    /// One line: the rule, what was expected, what came, and where it is written.
    public var description: String {
        let came = self.actual.map { ", got \($0)" } ?? ""
        return
            "The provider's answer breaks the protocol (\(self.rule)): expected \(self.expected)\(came) [\(self.section)]"
    }
}
