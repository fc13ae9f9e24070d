// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// Text that the command prints for people: every report, table, notice and error.
///
/// What an interpolation inserts is escaped by `UntrustedText.printable(_:limit:)`, so that no name, scope or message of a
/// server can drive the terminal or forge a line. Only the literals of this program keep line breaks and escape sequences,
/// and an inserted `TerminalText`, which is escaped already. Since ``Console`` prints nothing else, this is the one place
/// where text is filtered.
package struct TerminalText: ExpressibleByStringInterpolation, Sendable, CustomStringConvertible {
    package private(set) var description: String

    package init(stringLiteral value: String) { self.description = value }

    package init(stringInterpolation: StringInterpolation) { self.description = stringInterpolation.text }

    /// A text of several lines: everything but its line feeds is escaped.
    package init(lines text: some StringProtocol) {
        self.description = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { UntrustedText.printable(String($0), limit: .max) }
            .joined(separator: "\n")
    }

    package static func + (left: Self, right: Self) -> Self { "\(left)\(right)" }

    /// Collects literals as they are and values escaped.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { self.text += literal }

        package mutating func appendInterpolation(_ text: TerminalText) { self.text += text.description }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            self.text += UntrustedText.printable(value.description, limit: .max)
        }
    }
}

extension Sequence<TerminalText> {
    package func joined(separator: TerminalText = "") -> TerminalText {
        self.reduce(nil as TerminalText?) { result, text in result.map { $0 + separator + text } ?? text } ?? ""
    }
}
