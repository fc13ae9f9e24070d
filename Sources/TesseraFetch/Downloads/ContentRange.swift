// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes

/// Which part of a whole an answer has.
///
/// - SeeAlso: [RFC 9110, section 14.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-14.4)
package struct ContentRange: Sendable, Hashable {
    /// The first and the last byte; nil in a refusal, which names the length alone.
    package var bytes: ClosedRange<Int64>?
    /// The length of the whole, nil where the server does not know it.
    package var total: Int64?

    /// Reads the field; nil where there is none, or none of one range of bytes that makes sense.
    package init?(_ response: HTTPResponse) {
        guard let text = response.headerFields[.contentRange], text.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        self.total = Self.number(sides[1])
        guard self.total != nil || sides[1] == "*" else { return nil }
        guard sides[0] != "*" else { return }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            self.total.map({ last < $0 }) ?? true
        else { return nil }
        self.bytes = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }
}
