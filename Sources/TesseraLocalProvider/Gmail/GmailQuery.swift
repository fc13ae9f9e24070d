// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// The `q` parameter of a message list, which consists of words and fields that must all match, with `OR` and `-`.
///
/// No query is ever rejected. As with Google, an unknown field is treated as a word.
///
/// - SeeAlso: [Refine searches in Gmail](https://support.google.com/mail/answer/7190)
struct GmailQuery: Sendable {
    private struct Term: Sendable {
        var field: String
        var text: String
        var isNegative: Bool
    }

    /// Groups of terms.
    ///
    /// At least one term in each group must match.
    private var groups: [[Term]] = []

    init(_ text: String) {
        var joins = false
        for word in Self.words(text) {
            if word == "OR" {
                joins = true
                continue
            }
            let isNegative = word.hasPrefix("-") && word.count > 1
            let rest = isNegative ? word.dropFirst() : word[...]
            let sides = rest.split(separator: ":", maxSplits: 1).map(String.init)
            let isField = sides.count == 2 && Self.fields.contains(sides[0].lowercased())
            let term = Term(
                field: isField ? sides[0].lowercased() : "",
                text: (isField ? sides[1] : String(rest)).lowercased(),
                isNegative: isNegative
            )
            if joins, !self.groups.isEmpty {
                self.groups[self.groups.count - 1].append(term)
            } else {
                self.groups.append([term])
            }
            joins = false
        }
    }

    /// Whether the query includes messages in the trash or in spam.
    var wantsEverywhere: Bool {
        self.groups.joined()
            .contains { ["in", "label"].contains($0.field) && ["anywhere", "trash", "spam"].contains($0.text) }
    }

    /// Returns whether a message matches the query.
    ///
    /// The `labels` are the user labels' names, keyed by ID.
    func matches(_ message: GmailMessage, labels: [String: String]) -> Bool {
        self.groups.allSatisfy { $0.contains { Self.holds($0, message, labels) != $0.isNegative } }
    }

    private static let fields: Set<String> = [
        "from", "to", "cc", "bcc", "subject", "label", "in", "is", "has", "rfc822msgid", "after", "before", "filename",
    ]

    private static func holds(_ term: Term, _ message: GmailMessage, _ labels: [String: String]) -> Bool {
        let text = term.text
        switch term.field {
        case "from", "cc", "bcc", "subject":
            return message.field(term.field)?.lowercased().contains(text) ?? false
        case "to":
            return ["to", "cc", "bcc"].contains { message.field($0)?.lowercased().contains(text) ?? false }
        case "is", "in", "label":
            return self.hasLabel(text, message, labels)
        case "has":
            return text == "attachment" && message.content.all.contains { !$0.fileName.isEmpty }
        case "filename":
            return message.content.all.contains { $0.fileName.lowercased().contains(text) }
        case "rfc822msgid":
            return message.field("Message-ID")?.lowercased().contains(text) ?? false
        case "after", "before":
            guard let time = self.time(text) else { return false }
            return term.field == "after" ? message.time >= time : message.time < time
        default:
            let texts = [message.content.text] + ["From", "To", "Cc", "Subject"].compactMap { message.field($0) }
            return texts.contains { $0.lowercased().contains(text) }
        }
    }

    private static func hasLabel(_ text: String, _ message: GmailMessage, _ labels: [String: String]) -> Bool {
        switch text {
        case "anywhere": return true
        case "read": return !message.labels.contains("UNREAD")
        case "drafts": return message.labels.contains("DRAFT")
        default:
            return message.labels.contains { label in
                let name = (labels[label] ?? label).lowercased()
                return name == text || name.replacing(" ", with: "-").replacing("/", with: "-") == text
            }
        }
    }

    /// Parses a date such as `2026/11/23`, or a number of seconds since 1970, and returns milliseconds.
    private static func time(_ text: String) -> Int64? {
        if let seconds = Int64(text), abs(seconds) < 1_000_000_000_000 { return seconds * 1000 }
        let parts = text.replacing("-", with: "/").split(separator: "/")
            .map { String(repeating: "0", count: max(0, 2 - $0.count)) + $0 }
        return RFC3339.date(parts.joined(separator: "-")).map { Int64($0.timeIntervalSince1970 * 1000) }
    }

    /// Splits a query into words.
    ///
    /// Quoted text is a single word, and brackets are treated as spaces.
    private static func words(_ text: String) -> [String] {
        text.split(outsideQuotes: " (){}".contains).map { String($0).replacing("\"", with: "") }.filter { !$0.isEmpty }
    }
}
#endif
