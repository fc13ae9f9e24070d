// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// What the requests and responses with AppAuth's names have in common: they never change, and show no secret.
///
/// A copy is the object itself. Two are equal when they are the same object, as with AppAuth. An archive has all values,
/// also the secrets, under AppAuth's keys.
///
/// `@unchecked`, since a class that may be inherited from is never checked: this one has no stored property, and each of
/// those below has one `let` of a `Sendable` type. A subclass has to do the same.
open class AppAuthValue: NSObject, NSCopying, NSSecureCoding, CustomReflectable, @unchecked Sendable {
    /// A value of the class that calls.
    override public init() { super.init() }

    /// Reads nothing: each class below reads its own.
    public required init?(coder: NSCoder) { super.init() }

    /// The values; only the classes below have some.
    ///
    /// Each class stores its own. If this class had an internal initializer for them, the subclasses of apps would not
    /// inherit the convenience initializers of the classes below.
    var contents: Contents { Contents([], [:]) }

    /// The value under a key, or nil if it is missing.
    subscript<Value: ArchivedValue>(_ key: String) -> Value? { self.contents.values[key] as? Value }

    /// The value under the key of a required field, which every initializer has set.
    func required<Value: ArchivedValue>(_ key: String) -> Value {
        guard let value: Value = self[key] else { preconditionFailure("\(type(of: self)) has no \(key)") }
        return value
    }

    /// The members of a response without a field, possibly empty.
    var others: [String: Any] { (self["additionalParameters"] as JSONParameters?)?.dictionary ?? [:] }

    /// Always true.
    ///
    /// Apple's coders reject a class that overrides `init(coder:)` without overriding this property, even though its
    /// superclass has it. A subclass overrides both.
    open class var supportsSecureCoding: Bool { true }

    /// The object itself: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Writes all values, including secrets.
    open func encode(with coder: NSCoder) {
        let contents = self.contents
        for field in contents.fields { coder.encode(contents.values[field.key]?.archivedObject, forKey: field.key) }
    }

    /// What a description may show, by name; nil is left out.
    var facts: [(name: String, text: String?)] { [] }

    /// The class, and what is neither secret nor about a user.
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

extension AppAuthValue: ArchivedValue {}

extension AppAuthValue {
    /// A value of an archive.
    struct Field: Sendable {
        let key: String
        let type: any ArchivedValue.Type
        let isRequired: Bool

        static func list(
            required: KeyValuePairs<String, any ArchivedValue.Type> = [:],
            optional: KeyValuePairs<String, any ArchivedValue.Type> = [:]
        ) -> [Field] {
            required.map { Field(key: $0, type: $1, isRequired: true) }
                + optional.map { Field(key: $0, type: $1, isRequired: false) }
        }
    }

    /// The values of an object by their keys in an archive.
    struct Contents: Sendable {
        /// The values as an archive stores them.
        let fields: [Field]
        let values: [String: any ArchivedValue]

        init(_ fields: [Field], _ values: [String: (any ArchivedValue)?]) {
            self.fields = fields
            self.values = values.compactMapValues(\.self)
        }

        /// Creates the values of a response: the members of its fields and, under `additionalParameters`, the others.
        init(
            _ fields: [Field],
            response members: JSONParameters,
            to request: AppAuthValue,
            receivedAt: Date = .distantPast
        ) {
            let own = fields.filter { !["request", "additionalParameters"].contains($0.key) }
            var values: [String: any ArchivedValue] = ["request": request]
            values["additionalParameters"] = members.others(than: Set(own.map(\.key)))
            for field in own {
                switch field.type {
                case is String.Type: values[field.key] = members.text(field.key)
                case is URL.Type: values[field.key] = members.url(field.key)
                case _ where field.key == "expires_in":
                    values[field.key] = members.seconds(field.key).map { receivedAt.addingTimeInterval($0) }
                default: values[field.key] = members.time(field.key)
                }
            }
            self.init(fields, values)
        }

        /// Reads an archive; nil if a required value is missing, or if a value is of the wrong type.
        init?(_ coder: NSCoder, _ fields: [Field]) {
            var archive = ArchiveReader(coder)
            var values: [String: any ArchivedValue] = [:]
            for field in fields {
                values[field.key] = archive.value(field.key, as: field.type)
                if field.isRequired, values[field.key] == nil { return nil }
            }
            guard archive.isWhole else { return nil }
            self.init(fields, values)
        }
    }
}
