// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// The base class of AppAuth's immutable requests and responses.
///
/// Instances are immutable, so copying one returns the object itself. As in AppAuth, two instances are equal only if
/// they are identical. An archive contains all values, including secrets, under AppAuth's keys. Descriptions and
/// mirrors do not show secrets.
///
/// The conformance to `Sendable` is `@unchecked` because the compiler does not check open classes. It is safe because
/// this class has no stored property, and each of its subclasses in this module has a single `let` of a `Sendable`
/// type. A custom subclass must also store only constants of `Sendable` types.
open class AppAuthValue: NSObject, NSCopying, NSSecureCoding, CustomReflectable, @unchecked Sendable {
    /// Creates an empty value.
    ///
    /// Subclasses store the contents.
    override public init() { super.init() }

    /// Creates a value without reading the archive.
    ///
    /// Subclasses read their own contents.
    public required init?(coder: NSCoder) { super.init() }

    /// The values, keyed by name.
    ///
    /// This is empty unless a subclass overrides it.
    ///
    /// Each subclass stores its own contents. If this class had an internal initializer for them, subclasses in apps
    /// would not inherit the convenience initializers of the classes in this module.
    var contents: Contents { Contents([], [:]) }

    /// The value for a key, or nil if it is missing.
    subscript<Value: ArchivedValue>(_ key: String) -> Value? { self.contents.values[key] as? Value }

    /// The value for the key of a required field, which every initializer has set.
    func required<Value: ArchivedValue>(_ key: String) -> Value {
        guard let value: Value = self[key] else { preconditionFailure("\(type(of: self)) has no \(key)") }
        return value
    }

    /// The members of a response for which there is no field.
    ///
    /// This can be empty.
    var others: [String: Any] { (self["additionalParameters"] as JSONParameters?)?.dictionary ?? [:] }

    /// Whether the class supports secure coding, which is always true.
    ///
    /// Apple's coders reject a class that overrides `init(coder:)` without overriding this property, even though its
    /// superclass has it. A subclass has to override both.
    open class var supportsSecureCoding: Bool { true }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Encodes all values, including secrets.
    open func encode(with coder: NSCoder) {
        let contents = self.contents
        for field in contents.fields { coder.encode(contents.values[field.key]?.archivedObject, forKey: field.key) }
    }

    /// The names and values to show in a description.
    ///
    /// Entries with a nil value are omitted.
    var facts: [(name: String, text: String?)] { [] }

    /// The class name and the values that are neither secret nor about the user.
    override public var description: String {
        let facts = self.facts.compactMap { fact in
            fact.text.map { "\(fact.name): " + UntrustedText.printable($0) }
        }
        return (["\(type(of: self))"] + facts).joined(separator: ", ")
    }

    override public var debugDescription: String { self.description }

    /// A mirror without children, so that `dump` does not print tokens.
    public var customMirror: Mirror {
        Mirror(self, children: [] as [Mirror.Child], ancestorRepresentation: .suppressed)
    }
}

extension AppAuthValue: ArchivedValue {}

extension AppAuthValue {
    /// A key in an archive and the type of its value.
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

    /// An object's values, keyed by their names in an archive.
    struct Contents: Sendable {
        /// The fields that an archive contains.
        let fields: [Field]
        let values: [String: any ArchivedValue]

        init(_ fields: [Field], _ values: [String: (any ArchivedValue)?]) {
            self.fields = fields
            self.values = values.compactMapValues(\.self)
        }

        /// Creates the values for a response from its members.
        ///
        /// Members for which there is no field, or whose type is not that of their field, are stored under
        /// `additionalParameters`.
        init(
            _ fields: [Field],
            response members: JSONParameters,
            to request: AppAuthValue,
            receivedAt: Date = .distantPast
        ) {
            let own = fields.filter { !["request", "additionalParameters"].contains($0.key) }
            var values: [String: any ArchivedValue] = ["request": request]
            for field in own {
                switch field.type {
                case is String.Type: values[field.key] = members.text(field.key)
                case is URL.Type: values[field.key] = members.url(field.key)
                case _ where field.key == "expires_in":
                    values[field.key] = members.seconds(field.key).map { receivedAt.addingTimeInterval($0) }
                default: values[field.key] = members.time(field.key)
                }
            }
            values["additionalParameters"] = members.others(than: Set(values.keys.filter { $0 != "request" }))
            self.init(fields, values)
        }

        /// Decodes the values, or returns nil if a required value is missing or a value has the wrong type.
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
