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
}

extension JSONError {
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
