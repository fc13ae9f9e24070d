// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An answer that breaks the protocol: what was expected, what came, and the paragraph that says so.
///
/// Nothing that was received is trusted after one of these. `actual` never holds a secret. Both it and `expected`, which
/// may name a member of the answer, are cut (to 200 and 400 characters), their control characters are escaped.
///
/// - SeeAlso: [RFC 9700, section 2](https://www.rfc-editor.org/rfc/rfc9700.html#section-2)
public struct ProtocolViolation: Error, Sendable, Hashable {
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
        self.expected = Self.printable(expected, limit: 400)
        self.actual = actual.map { Self.printable($0) }
        self.section = section
    }

    /// Text from outside as it may stand in a message: at most `limit` characters, control characters escaped.
    package static func printable(_ text: String, limit: Int = 200) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit {
                result += "…"
                break
            }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension ProtocolViolation: CustomStringConvertible {
    /// One line: the rule, what was expected, what came, and where it is written.
    public var description: String {
        let came = self.actual.map { ", got \($0)" } ?? ""
        return
            "The provider's answer breaks the protocol (\(self.rule)): expected \(self.expected)\(came) [\(self.section)]"
    }
}
