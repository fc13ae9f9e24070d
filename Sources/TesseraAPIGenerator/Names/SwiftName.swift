// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Names of an API as names in Swift.
enum SwiftName {
    /// Words that cannot be the name of a declaration without backticks.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Types that generated code names: none of an API's may hide them.
    private static let usedTypes: Set<String> = [
        "String", "Bool", "Int", "Int64", "UInt32", "UInt64", "Double", "Data", "Timestamp", "CivilDate",
        "ProtoDuration", "FieldMask", "JSONNode", "NoContent", "APIObject", "APIEnumeration", "APIStorage", "APIShape",
        "APIRequest", "APIArguments", "APIMethod", "APICall", "APIClient", "APIEndpoint", "APIService", "APIPaging",
        "PagedRequest", "ItemizedRequest", "MediaUploadRequest", "ResumableUploadRequest", "MediaDownloadRequest",
        "Scope", "Type", "Protocol", "Self", "Any", "Response", "Item",
    ]

    /// Where a member is declared, and so which names are taken there.
    enum Place {
        case object, request, resource

        fileprivate var usedNames: Set<String> {
            switch self {
            case .object: ["storage", "node", "unknownMembers"]
            case .request: ["arguments", "body"]
            case .resource: ["service"]
            }
        }
    }

    /// A type's name: `calendar_list` becomes `CalendarList`.
    static func type(_ text: String) -> String {
        let name = Self.leadingLetter(Self.folded(text, startsUpper: true), "X")
        return Self.usedTypes.contains(name) ? name + "Value" : name
    }

    /// A property's or a parameter's name.
    static func member(_ text: String, of place: Place) -> String {
        let name = Self.leadingLetter(Self.folded(text, startsUpper: false), "_")
        return place.usedNames.contains(name) ? name + "Value" : name
    }

    /// A known value's name: `ANYONE_WITH_LINK` and `anyoneWithLink` become `anyoneWithLink`.
    static func value(_ text: String) -> String {
        let isUpper = !text.contains { $0.isLowercase }
        let name = Self.leadingLetter(
            Self.folded(isUpper ? text.lowercased() : text, startsUpper: false),
            "_"
        )
        // Those are Optional's, and would be taken for its own.
        return ["none", "some"].contains(name) ? name + "Value" : name
    }

    /// A name where it is declared.
    static func declared(_ name: String) -> String { Self.keywords.contains(name) ? "`\(name)`" : name }

    /// A name after a dot: fewer of them need backticks there.
    static func used(_ name: String) -> String {
        ["init", "self", "Type", "Protocol"].contains(name) ? "`\(name)`" : name
    }

    /// Without what is no letter and no digit; what comes after that begins upper.
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
            // `ETag` becomes `eTag`, `URL` becomes `url`.
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

/// Gives out names of one place, each once.
struct UniqueNames {
    private var taken: Set<String>

    init(_ taken: Set<String> = []) { self.taken = taken }

    /// The name, or one with the original's own spelling at its end, or with a number, where it is taken.
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

/// Gives each file of a module a path that no other file has, also where a file system ignores case.
struct FileNames {
    /// File systems allow 255 bytes for a name.
    private static let maximumLength = 200
    private var taken = Set<String>()

    /// The file with its own path, or with a number in it if another file has the path already.
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
