// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a text is no JSON, or why a value is not what was asked for.
///
/// It holds a place and never text of the document, which may contain tokens.
public struct JSONError: LocalizedError, Sendable, Hashable {
    /// What is wrong.
    public let code: Code
    /// The byte at which it shows, counted from 0 at the start of the document.
    public let offset: Int

    /// An error at a place.
    public init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Describes why the text could not be parsed: what it is instead, if that can be told, else the rule and the place.
    ///
    /// - Parameter text: The text.
    /// - Returns: A phrase without a full stop.
    public func explanation(of text: [UInt8]) -> String {
        let start = text.drop { " \t\r\n".utf8.contains($0) }
        if start.isEmpty { return "an empty text" }
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return "a byte order mark (BOM) before the JSON text" }
        if start.first == UInt8(ascii: "<") { return "a page in HTML or XML" }
        return "\(self.code.sentence) (at byte \(self.offset))"
    }
}

extension JSONError: CustomStringConvertible {
    /// One line: what is wrong and where.
    public var description: String { "JSON: \(self.code.sentence) (at byte \(self.offset))" }
    /// The error's description.
    public var errorDescription: String? { self.description }
    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Check the text at this byte." }
}

extension JSONError {
    /// What is wrong with a document or a value; open, since more may come.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable.
        public let rawValue: String
        /// A code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's name.
        public var description: String { self.rawValue }

        /// The text does not follow the grammar of RFC 8259, or something follows the value.
        public static let invalidSyntax = Self(rawValue: "invalidSyntax")
        /// The bytes are not UTF-8, or an escape names half of a surrogate pair.
        public static let invalidUTF8 = Self(rawValue: "invalidUTF8")
        /// An object has two members of one name.
        public static let duplicateMember = Self(rawValue: "duplicateMember")
        /// Arrays and objects are nested deeper than ``JSONLimits/maximumDepth``.
        public static let tooDeep = Self(rawValue: "tooDeep")
        /// The document is longer than ``JSONLimits/maximumBytes``.
        public static let tooLarge = Self(rawValue: "tooLarge")
        /// The value is of another kind than the one asked for.
        public static let wrongKind = Self(rawValue: "wrongKind")
        /// The number does not fit the type asked for.
        public static let numberOutOfRange = Self(rawValue: "numberOutOfRange")
        /// The object has no member of that name.
        public static let missingMember = Self(rawValue: "missingMember")

        /// Whether the error is a JSON error with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? JSONError)?.code == pattern
        }

        var sentence: String {
            switch self {
            case .invalidSyntax: "the text is not valid JSON"
            case .invalidUTF8: "the text is not valid UTF-8"
            case .duplicateMember: "an object has two members of the same name"
            case .tooDeep: "the value is nested too deeply"
            case .tooLarge: "the document is too large"
            case .wrongKind: "the value is not of the expected kind"
            case .numberOutOfRange: "the number is out of range"
            case .missingMember: "a member is missing"
            default: self.rawValue
            }
        }
    }
}
