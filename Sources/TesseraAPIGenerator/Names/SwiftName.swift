// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Converts names used in an API to Swift names.
enum SwiftName {
    /// Keywords that must be escaped with backticks when they name a declaration.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Types used by the generated code, which the API's types must not hide.
    private static let usedTypes: Set<String> = [
        "String", "Bool", "Int", "Int64", "UInt32", "UInt64", "Double", "Data", "Timestamp", "CivilDate",
        "ProtoDuration", "FieldMask", "JSONNode", "NoContent", "APIObject", "APIEnumeration", "APIStorage", "APIShape",
        "APIRequest", "APIArguments", "APIMethod", "APICall", "APIClient", "APIEndpoint", "APIService", "APIPaging",
        "PagedRequest", "ItemizedRequest", "MediaUploadRequest", "ResumableUploadRequest", "MediaDownloadRequest",
        "Scope", "Type", "Protocol", "Self", "Any", "Response", "Item",
    ]

    /// The type that declares a member, which determines the names that are already in use.
    enum Location {
        case object, request, resource

        fileprivate var usedNames: Set<String> {
            switch self {
            case .object: ["storage", "node", "unknownMembers"]
            case .request: ["arguments", "body", "request"]
            case .resource: ["service"]
            }
        }
    }

    /// Returns the Swift name of a type, such as `CalendarList` for `calendar_list`.
    static func type(_ text: String) -> String {
        let name = Self.leadingLetter(Self.folded(text, startsUpper: true), "X")
        return Self.usedTypes.contains(name) ? name + "Value" : name
    }

    /// Returns the Swift name of a property or parameter.
    static func member(_ text: String, of location: Location) -> String {
        let name = Self.leadingLetter(Self.folded(text, startsUpper: false), "_")
        return location.usedNames.contains(name) ? name + "Value" : name
    }

    /// Returns the Swift name of an enumeration's value, such as `anyoneWithLink` for `ANYONE_WITH_LINK`.
    static func value(_ text: String) -> String {
        let isUpper = !text.contains { $0.isLowercase }
        let name = Self.leadingLetter(
            Self.folded(isUpper ? text.lowercased() : text, startsUpper: false),
            "_"
        )
        // These names would be confused with the cases of `Optional`.
        return ["none", "some"].contains(name) ? name + "Value" : name
    }

    /// Returns the spelling of a name in its declaration.
    static func declared(_ name: String) -> String { Self.keywords.contains(name) ? "`\(name)`" : name }

    /// Returns the spelling of a name after a dot, where fewer names must be escaped.
    static func used(_ name: String) -> String {
        ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    /// Returns the text in camel case, without any characters other than ASCII letters and digits.
    private static func folded(_ text: String, startsUpper: Bool) -> String {
        var name = ""
        var isNextUpper = startsUpper
        for character in text {
            guard character.isASCII, character.isLetter || character.isNumber else {
                isNextUpper = !name.isEmpty || startsUpper
                continue
            }
            name += isNextUpper ? character.uppercased() : String(character)
            isNextUpper = false
        }
        if !startsUpper, let first = name.first, first.isUppercase {
            // `ETag` becomes `eTag`, and `URL` becomes `url`.
            let isWord = name.contains { $0.isLowercase }
            name = isWord ? first.lowercased() + name.dropFirst() : name.lowercased()
        }
        return name
    }

    private static func leadingLetter(_ name: String, _ prefix: String) -> String {
        guard let first = name.first else { return prefix + "empty" }
        return first.isNumber ? prefix + name : name
    }
}

/// Assigns unique names within a scope.
struct UniqueNames {
    private var taken: Set<String>

    init(_ taken: Set<String> = []) { self.taken = taken }

    /// Returns the name if it is available.
    ///
    /// Otherwise, appends the original spelling and, if necessary, a number.
    mutating func take(_ name: String, for original: String) -> String {
        if self.taken.insert(name).inserted { return name }
        let spelled =
            name + "_" + original.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        if self.taken.insert(spelled).inserted { return spelled }
        var number = 2
        while !self.taken.insert(spelled + "\(number)").inserted { number += 1 }
        return spelled + "\(number)"
    }
}

/// Assigns unique paths to a module's files, even on case-insensitive file systems.
struct FileNames {
    /// The maximum length of a name without its file extension.
    ///
    /// File systems allow 255 bytes.
    private static let maximumLength = 200
    private var taken = Set<String>()

    /// Returns the file with its path, to which a number is added if the path is taken.
    mutating func take(_ file: GeneratedFile) -> GeneratedFile {
        let parts = file.path.split(separator: "/")
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = (parts.last?.dropLast(".swift".count) ?? "").prefix(Self.maximumLength)
        var (path, number) = (folder + name + ".swift", 2)
        while !self.taken.insert(path.lowercased()).inserted {
            path = folder + name + "_\(number).swift"
            number += 1
        }
        return GeneratedFile(path: path, text: file.text)
    }
}
