// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// What the requests and responses with AppAuth's names have in common: they never change, and show no secret.
///
/// A copy is the object itself. Two are equal when they are the same object, as with AppAuth. An archive has all values,
/// also the secrets, under AppAuth's keys.
///
/// `@unchecked`, since a class that may be inherited from is never checked: this one has a `let` of a `Sendable` type, and
/// those below have no stored property. Whoever inherits has to keep to that.
open class AppAuthValue: NSObject, NSCopying, NSSecureCoding, CustomReflectable, @unchecked Sendable {
    /// A value of an archive.
    struct Field {
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

    /// The values by their keys in an archive.
    private let values: [String: any ArchivedValue]

    /// A value of the class that calls.
    override public init() {
        self.values = [:]
        super.init()
    }

    init(_ values: [String: (any ArchivedValue)?]) {
        self.values = values.compactMapValues(\.self)
        super.init()
    }

    /// Creates a response, with the members of its fields and, under `additionalParameters`, the others.
    init(response members: JSONParameters, to request: AppAuthValue, receivedAt: Date = .distantPast) {
        let fields = Self.fields().filter { !["request", "additionalParameters"].contains($0.key) }
        var values: [String: any ArchivedValue] = ["request": request]
        values["additionalParameters"] = members.others(than: Set(fields.map(\.key)))
        for field in fields {
            switch field.type {
            case is String.Type: values[field.key] = members.text(field.key)
            case is URL.Type: values[field.key] = members.url(field.key)
            case _ where field.key == "expires_in":
                values[field.key] = members.seconds(field.key).map { receivedAt.addingTimeInterval($0) }
            default: values[field.key] = members.time(field.key)
            }
        }
        self.values = values
        super.init()
    }

    /// Reads an archive; nil if it lacks a value that the class needs, or if a value is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        var values: [String: any ArchivedValue] = [:]
        for field in Self.fields() {
            values[field.key] = archive.value(field.key, as: field.type)
            if field.isRequired, values[field.key] == nil { return nil }
        }
        guard archive.isWhole else { return nil }
        self.values = values
        super.init()
    }

    /// The values that an archive has.
    class func fields() -> [Field] { [] }

    /// The value under a key; nil if there is none.
    subscript<Value: ArchivedValue>(_ key: String) -> Value? { self.values[key] as? Value }

    /// The value under the key of a required field, which every initializer has set.
    func required<Value: ArchivedValue>(_ key: String) -> Value {
        guard let value: Value = self[key] else { preconditionFailure("\(type(of: self)) has no \(key)") }
        return value
    }

    /// The members of a response without a field; empty where there are none.
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
        for field in Self.fields() { coder.encode(self.values[field.key]?.archivedObject, forKey: field.key) }
    }

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

extension AppAuthValue: ArchivedValue {}
