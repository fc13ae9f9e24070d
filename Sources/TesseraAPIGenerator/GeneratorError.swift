// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why no code can be generated.
public struct GeneratorError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// The text is not a discovery document.
        case document
        /// A method or schema that is requested or named is missing.
        case missing
        /// A field of the document, or an option, breaks the rule for it.
        case invalid
    }

    /// What is wrong.
    public let code: Code
    /// The field's place in the document, such as `schemas.Note.properties.title.type`; nil for the whole document.
    ///
    /// Names of the document are in it as they would be in a Swift literal.
    public let path: String?
    /// The details, such as the rule that a field breaks.
    ///
    /// Text of the document is in it as it would be in a Swift literal.
    public let detail: String

    init(_ code: Code, at path: String? = nil, _ detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    /// A text that does not follow the grammar of its field, or a name that does not follow that of its object.
    static func invalid(_ path: String, _ rule: FieldRule, _ text: String, isName: Bool = false) -> GeneratorError {
        let subject = isName ? "its name" : "it"
        return GeneratorError(
            .invalid,
            at: path,
            "\(subject) must be \(rule.expectation), but it is \(Self.printable(text))"
        )
    }

    /// The beginning of a text, without characters that a terminal could obey.
    static func printable(_ text: String) -> String {
        let limit = 64
        let isCut = text.unicodeScalars.count > limit
        return SwiftLiteral.quoted(String(text.unicodeScalars.prefix(limit))) + (isCut ? "…" : "")
    }

    /// One line without a full stop.
    public var description: String {
        let place = self.path.map { "'\($0.count > 400 ? $0.prefix(400) + "…" : $0[...])': " } ?? ""
        return switch self.code {
        case .document: "Could not read the discovery document: \(place)\(self.detail)"
        case .missing: "The discovery document has no \(self.detail)"
        case .invalid: "Could not use \(place)\(self.detail)"
        }
    }
    /// The error's description.
    public var errorDescription: String? { self.description }
    /// An instruction for the developer.
    public var recoverySuggestion: String? {
        switch self.code {
        case .document: "Check that the file is a discovery document of a Google API."
        case .missing: "Check the name against the discovery document."
        case .invalid: "Correct this field, or leave it out."
        }
    }
}
