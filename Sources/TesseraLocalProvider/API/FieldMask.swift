// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// A field mask for Google's partial responses, such as `files(id,name),nextPageToken`, `user/emailAddress` or `*`.
struct FieldMask: Sendable, Hashable {
    /// The selected members, each with its own mask.
    private var members: [String: FieldMask] = [:]
    private var keepsEverything = false

    static let everything = {
        var mask = FieldMask()
        mask.keepsEverything = true
        return mask
    }()

    private init() {}

    init(_ text: String) throws(APIFailure) {
        var rest = Substring(text)
        self = try Self.list(&rest, depth: 0)
        guard rest.isEmpty else { throw .invalid("fields", "Invalid field selection \(text.prefix(100))") }
    }

    /// Returns whether a member is selected at least in part.
    func keeps(_ path: String...) -> Bool {
        var mask = self
        for name in path {
            if mask.keepsEverything { return true }
            guard let next = mask.members[name] ?? mask.members["*"] else { return false }
            mask = next
        }
        return true
    }

    /// Returns the selected parts of a value.
    ///
    /// For an array, the mask applies to each element.
    func applied(to node: JSONNode) -> JSONNode {
        if self.keepsEverything { return node }
        switch node {
        case .object(let all):
            return .object(
                all.compactMap { member in
                    (self.members[member.name] ?? self.members["*"])
                        .map { mask in
                            JSONMember(name: member.name, value: mask.applied(to: member.value))
                        }
                }
            )
        case .array(let elements):
            return .array(elements.map(self.applied))
        default:
            return node
        }
    }

    private static func list(_ rest: inout Substring, depth: Int) throws(APIFailure) -> FieldMask {
        var mask = FieldMask()
        while true {
            let (name, child) = try self.selector(&rest, depth: depth)
            mask.members[name] = mask.members[name]?.merged(with: child) ?? child
            guard rest.first == "," else { return mask }
            rest = rest.dropFirst()
        }
    }

    private static func selector(_ rest: inout Substring, depth: Int) throws(APIFailure) -> (String, FieldMask) {
        guard depth < 16 else { throw .invalid("fields", "The field selection is nested too deeply") }
        rest = rest.drop { $0 == " " }
        let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "*" || $0 == "_" })
        guard !name.isEmpty else { throw .invalid("fields", "Invalid field selection \(rest.prefix(100))") }
        rest = rest.dropFirst(name.count).drop { $0 == " " }
        switch rest.first {
        case "/":
            rest = rest.dropFirst()
            let (next, child) = try self.selector(&rest, depth: depth + 1)
            var mask = FieldMask()
            mask.members[next] = child
            return (name, mask)
        case "(":
            rest = rest.dropFirst()
            let mask = try self.list(&rest, depth: depth + 1)
            guard rest.first == ")" else {
                throw .invalid("fields", "Invalid field selection: a closing parenthesis is missing")
            }
            rest = rest.dropFirst().drop { $0 == " " }
            return (name, mask)
        default:
            return (name, .everything)
        }
    }

    private func merged(with other: FieldMask) -> FieldMask {
        if self.keepsEverything || other.keepsEverything { return .everything }
        var mask = self
        mask.members.merge(other.members) { $0.merged(with: $1) }
        return mask
    }
}

/// Encodes positions in lists as page tokens.
///
/// A page token is valid only for the list that it was issued for.
enum PageToken {
    static func text(_ start: Int, _ question: String) -> String {
        Base64URL.encode(Array("\(start)|\(question)".utf8))
    }

    /// Returns the index at which the page starts, or `nil` if the token is malformed or belongs to another list.
    static func start(_ token: String?, _ question: String) -> Int? {
        guard let token else { return 0 }
        guard let bytes = Base64URL.decode(token), let text = String(wellFormedUTF8: bytes),
            let bar = text.firstIndex(of: "|"), let start = Int(text[..<bar]), (0...1_000_000_000).contains(start),
            text[text.index(after: bar)...] == question
        else { return nil }
        return start
    }
}

/// Timestamps in the format that Google's APIs use (RFC 3339).
enum RFC3339 {
    /// Returns a time in UTC with milliseconds, clamped to the years 1 to 9999.
    static func text(_ date: Date) -> String {
        let seconds = max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970))
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Returns whether a time has an offset from UTC.
    static func hasOffset(_ text: String) -> Bool {
        text.dropFirst("2026-01-01".count).contains { "Zz+-".contains($0) }
    }

    /// Returns a time without an offset as a moment in a time zone, and its text with the offset.
    static func time(_ text: String, in zone: TimeZone) -> (moment: Date, text: String)? {
        guard let local = Self.date(text) else { return nil }
        // The offset depends on the moment, which the offset of the local time approximates.
        let guess = local - Double(zone.secondsFromGMT(for: local))
        let minutes = zone.secondsFromGMT(for: guess) / 60
        let digits = [abs(minutes) / 60, abs(minutes) % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return (local - Double(minutes * 60), text + (minutes < 0 ? "-" : "+") + digits.joined(separator: ":"))
    }

    /// Parses a date with or without a time.
    ///
    /// As with Google, a time without an offset is interpreted as UTC.
    static func date(_ text: String) -> Date? {
        let time =
            #/
            [Tt\x20]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(\.[0-9]+)?
            (?:[Zz]|([+-][01][0-9]|[+-]2[0-3]):?([0-5][0-9]))?
            /#
        let day = /([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/
        guard text.utf8.count <= 40, let start = text.prefixMatch(of: day) else { return nil }
        let components = DateComponents(timeZone: .gmt, year: Int(start.1), month: Int(start.2), day: Int(start.3))
        guard let date = Calendar(identifier: .gregorian).date(from: components) else { return nil }
        let rest = text[start.range.upperBound...]
        if rest.isEmpty { return date }
        guard let (_, hour, minute, second, fraction, hours, minutes) = rest.wholeMatch(of: time)?.output else {
            return nil
        }
        let number: (Substring?) -> Double = { $0.flatMap { Double($0) } ?? 0 }
        let offset = number(hours) * 3600 + (hours?.first == "-" ? -60 : 60) * number(minutes)
        return date + number(hour) * 3600 + number(minute) * 60 + number(second)
            + number(fraction.map { "0\($0)" }) - offset
    }
}
#endif
