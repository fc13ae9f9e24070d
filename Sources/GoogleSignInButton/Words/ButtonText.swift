// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// What the button says, in one language.
struct ButtonText: Sendable, Hashable {
    /// The tag of the language that was found, as BCP 47 writes it.
    let language: String
    let signIn: String
    let signInWithGoogle: String

    /// Whether the language is written from right to left.
    var isRightToLeft: Bool { self.language == "ar" || self.language == "he" }

    /// What the button may be called by voice: the words that it shows first.
    func names(_ style: GoogleSignInButtonStyle) -> [String] {
        style == .standard ? [self.signIn, self.signInWithGoogle] : [self.signInWithGoogle]
    }

    /// The words that a button of this style shows.
    func words(_ style: GoogleSignInButtonStyle) -> String? {
        switch style {
        case .standard: self.signIn
        case .wide: self.signInWithGoogle
        case .icon: nil
        }
    }
}

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

extension ButtonText {
    /// The text in the language that the program itself is shown in.
    static var current: ButtonText { ButtonText(languages: Bundle.main.preferredLocalizations) }
}
