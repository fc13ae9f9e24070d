// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// What the requests and responses with AppAuth's names have in common: they never change, and show no secret.
///
/// A copy is the object itself. Two are equal when they are the same object, as with AppAuth.
///
/// `@unchecked`, since a class that may be inherited from is never checked: this one has no stored property, and each of
/// those below has only `let` properties of `Sendable` types. Whoever inherits has to keep to that.
open class AppAuthValue: NSObject, NSCopying, NSSecureCoding, CustomReflectable, @unchecked Sendable {
    /// A value of the class that calls.
    override public init() { super.init() }

    /// Reads nothing: each class below reads its own.
    public required init?(coder: NSCoder) { super.init() }

    /// Always true.
    ///
    /// Apple's coders reject a class that overrides `init(coder:)` without overriding this property, even though its
    /// superclass has it. A subclass overrides both.
    open class var supportsSecureCoding: Bool { true }

    /// The object itself: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Writes nothing: each subclass writes all its properties, including secrets.
    open func encode(with coder: NSCoder) {}

    /// What a description may show, by name; nil is left out.
    var facts: [(name: String, text: String?)] { [] }

    /// The class, and what is neither secret nor about a person.
    override public var description: String {
        let facts = self.facts.compactMap { fact in
            fact.text.map { "\(fact.name): " + UntrustedText.printable($0) }
        }
        return (["\(type(of: self))"] + facts).joined(separator: ", ")
    }

    override public var debugDescription: String { self.description }

    /// A mirror without children: `dump` would show tokens otherwise.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}
