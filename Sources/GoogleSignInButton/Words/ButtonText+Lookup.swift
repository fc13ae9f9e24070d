// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension ButtonText {
    /// The text in the first of `languages` that there is one in, else in English.
    ///
    /// - SeeAlso: [RFC 4647, section 3.4](https://www.rfc-editor.org/rfc/rfc4647.html#section-3.4)
    init(languages: [String]) {
        self = languages.lazy.compactMap(Self.lookup).first ?? Self.english
    }

    private static let byTag: [String: ButtonText] = {
        var found: [String: ButtonText] = [:]
        for text in all { found[text.language.lowercased()] = text }
        for (tag, language) in otherTags { found[tag] = found[language.lowercased()] }
        return found
    }()

    /// Tags of the same languages: old ones, and those of a region whose script or words are another's.
    private static let otherTags: [(String, String)] = [
        ("zh", "zh-Hans"), ("zh-cn", "zh-Hans"), ("zh-sg", "zh-Hans"), ("zh-tw", "zh-Hant"), ("zh-hk", "zh-Hant"),
        ("zh-mo", "zh-Hant"), ("no", "nb"), ("nn", "nb"), ("iw", "he"), ("in", "id"), ("es-419", "es-MX"),
        ("pt-ao", "pt-PT"), ("pt-mz", "pt-PT"),
    ]

    /// The text for a tag, or for what is left of it when its end is taken off, part by part.
    private static func lookup(_ tag: String) -> ButtonText? {
        // What POSIX appends, as in de_AT.UTF-8@euro, is no part of a tag.
        let name = tag.prefix { $0 != "." && $0 != "@" }
        var parts = name.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" })
        while !parts.isEmpty {
            if let text = self.byTag[parts.joined(separator: "-")] { return text }
            parts.removeLast()
            // A single letter only announces the part that is gone.
            if parts.last?.count == 1 { parts.removeLast() }
        }
        return nil
    }
}
