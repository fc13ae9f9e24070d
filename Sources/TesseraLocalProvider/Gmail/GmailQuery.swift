// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

/// The parameter `q` of a list of messages: words and fields that all have to be there, with `OR` and `-`.
///
/// Nothing is refused: what is no field is a word, as at Google.
///
/// - SeeAlso: [Refine searches in Gmail](https://support.google.com/mail/answer/7190)
struct GmailQuery: Sendable {
    private struct Term: Sendable {
        var field: String
        var text: String
        var isNegative: Bool
    }

    /// Of each group one term has to hold.
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

    /// Whether messages in the trash and spam are asked for.
    var wantsEverywhere: Bool {
        self.groups.joined()
            .contains { ["in", "label"].contains($0.field) && ["anywhere", "trash", "spam"].contains($0.text) }
    }

    /// Whether a message is one of those; `labels` are the names of the person's own labels, by identifier.
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

    /// A date as `2026/11/23`, or seconds since 1970, in milliseconds.
    private static func time(_ text: String) -> Int64? {
        if let seconds = Int64(text), abs(seconds) < 1_000_000_000_000 { return seconds * 1000 }
        let parts = text.replacing("-", with: "/").split(separator: "/")
            .map { String(repeating: "0", count: max(0, 2 - $0.count)) + $0 }
        return RFC3339.date(parts.joined(separator: "-")).map { Int64($0.timeIntervalSince1970 * 1000) }
    }

    /// The words; what is in quotation marks is one, brackets count as spaces.
    private static func words(_ text: String) -> [String] {
        text.split(outsideQuotes: " (){}".contains).map { String($0).replacing("\"", with: "") }.filter { !$0.isEmpty }
    }
}
#endif
