// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How the name of a parameter is written as an option.
enum ParameterName {
    /// `pageSize` becomes `page-size`, `orderBy.field` becomes `order-by-field`.
    static func option(_ name: String) -> String {
        var option = ""
        for character in name where character != "$" {
            if character == "." || character == "_" {
                option += "-"
            } else if character.isUppercase {
                if let last = option.last, last != "-" { option += "-" }
                option += character.lowercased()
            } else {
                option.append(character)
            }
        }
        return option
    }

    /// Whether an option, without its hyphens at the beginning, means this parameter: `page-size`, `pageSize`.
    static func isMeant(_ name: String, by option: String) -> Bool {
        name == option || Self.letters(name) == Self.letters(option)
    }

    private static func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
}
