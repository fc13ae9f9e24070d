// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error in a JSON document or in the type of a value.
///
/// The error contains a position but never any text from the document, which may include tokens.
public struct JSONError: LocalizedError, Sendable, Hashable {
    /// The reason for the error.
    public let code: Code
    /// The zero-based byte offset of the error in the document.
    public let offset: Int

    /// Creates an error at the given byte offset.
    public init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// Returns a phrase that describes the text that was found instead of JSON, or the error and its position.
    ///
    /// - Parameter text: The text that could not be parsed.
    /// - Returns: A phrase without a period.
    public func explanation(of text: [UInt8]) -> String {
        let start = text.drop { " \t\r\n".utf8.contains($0) }
        if start.isEmpty { return "an empty text" }
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return "a byte order mark (BOM) before the JSON text" }
        if start.first == UInt8(ascii: "<") { return "an HTML or XML page" }
        return "\(self.code.sentence) (at byte \(self.offset))"
    }
}

extension JSONError: CustomStringConvertible {
    /// A one-line description that contains the reason and the position.
    public var description: String { "JSON: \(self.code.sentence) (at byte \(self.offset))" }
    /// The ``description``.
    public var errorDescription: String? { self.description }
    /// An instruction for the developer.
    public var recoverySuggestion: String? { "Correct the JSON text at this position." }
}

extension JSONError {
    /// The reason for an error.
    ///
    /// More codes may be added in the future.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name of the code.
        public var description: String { self.rawValue }

        /// The text does not conform to the grammar in RFC 8259, or there is more text after the value.
        public static let invalidSyntax = Self(rawValue: "invalidSyntax")
        /// The text is not valid UTF-8 or contains an escape sequence for an unpaired surrogate.
        public static let invalidUTF8 = Self(rawValue: "invalidUTF8")
        /// An object has two members with the same name.
        public static let duplicateMember = Self(rawValue: "duplicateMember")
        /// Arrays and objects are nested more deeply than ``JSONLimits/maximumDepth``.
        public static let tooDeep = Self(rawValue: "tooDeep")
        /// The document is longer than ``JSONLimits/maximumBytes``.
        public static let tooLarge = Self(rawValue: "tooLarge")
        /// The value is not of the expected kind.
        public static let wrongKind = Self(rawValue: "wrongKind")
        /// The number is outside the range of the requested type.
        public static let numberOutOfRange = Self(rawValue: "numberOutOfRange")
        /// The object does not have the requested member.
        public static let missingMember = Self(rawValue: "missingMember")

        /// Returns whether an error is a JSON error with this code.
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
