// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error that prevents code from being generated.
public struct GeneratorError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The reason that no code can be generated.
    public enum Code: Sendable, Hashable {
        /// The text is not a discovery document.
        case document
        /// An included method or a referenced schema is missing.
        case missing
        /// A field in the document, or an option, is not valid.
        case invalid
    }

    /// The reason for the failure.
    public let code: Code
    /// The field's path, such as `schemas.Note.properties.title.type`, or nil if the error concerns the entire
    /// document.
    ///
    /// Names from the document are escaped as in a Swift literal.
    public let path: String?
    /// Details about the error, such as the rule that a field violates.
    ///
    /// Text from the document is escaped as in a Swift literal.
    public let detail: String

    init(_ code: Code, at path: String? = nil, _ detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    /// Creates an error for text or a name that violates its field's rule.
    static func invalid(_ path: String, _ rule: FieldRule, _ text: String, isName: Bool = false) -> GeneratorError {
        let subject = isName ? "its name" : "it"
        return GeneratorError(
            .invalid,
            at: path,
            "\(subject) must be \(rule.expectation), but it is \(Self.printable(text))"
        )
    }

    /// Returns the beginning of the text as a Swift literal, without control characters that could affect a terminal.
    static func printable(_ text: String) -> String {
        let limit = 64
        let isCut = text.unicodeScalars.count > limit
        return SwiftLiteral.quoted(String(text.unicodeScalars.prefix(limit))) + (isCut ? "…" : "")
    }

    /// A one-line description without a period.
    public var description: String {
        let location = self.path.map { "'\($0.count > 400 ? $0.prefix(400) + "…" : $0[...])': " } ?? ""
        return switch self.code {
        case .document: "Could not read the discovery document: \(location)\(self.detail)"
        case .missing: "The discovery document has no \(self.detail)"
        case .invalid: "Could not use \(location)\(self.detail)"
        }
    }
    /// A localized description of the error.
    public var errorDescription: String? { self.description }
    /// A suggested next step for the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .document: "Check that the file is a discovery document of a Google API."
        case .missing: "Check the name against the discovery document."
        case .invalid: "Correct this field, or omit it."
        }
    }
}
