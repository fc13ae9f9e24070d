// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a person asks the Drive for, in its own language.
enum DriveQuery {
    private static let words = [" contains ", " in ", " has ", " and ", " or ", "sharedWithMe"]

    /// The query of a word, of a query, or of nothing.
    static func text(_ query: String?) -> String {
        guard let query, !query.isEmpty else { return "trashed = false" }
        let isLanguage = query.contains { "=<>".contains($0) } || Self.words.contains { query.contains($0) }
        return isLanguage ? query : "name contains \(Self.quoted(query)) and trashed = false"
    }

    /// Those of exactly this name.
    static func named(_ name: String) -> String { "name = \(Self.quoted(name)) and trashed = false" }

    /// A text as the language writes it.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
