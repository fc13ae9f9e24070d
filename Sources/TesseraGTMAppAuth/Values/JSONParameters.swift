// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

/// The members of a JSON object sent by a server or supplied by the app.
///
/// The typed accessors return nil for a value of a different type.
struct JSONParameters: Sendable {
    private let members: [String: JSONNode]

    init(_ members: [JSONMember]) {
        self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Creates parameters from a JSON object.
    ///
    /// If the value is not an object, there are no members.
    init(_ object: JSONValue) {
        self.init(object.members.map { $0.map { JSONMember(name: $0.name, value: JSONNode($0.value)) } } ?? [])
    }

    /// Creates parameters from a dictionary, ignoring keys that are not strings and values that JSON cannot represent.
    init(_ dictionary: [AnyHashable: Any]) {
        self.init(pairs: dictionary.map { ($0.key.base, $0.value) })
    }

    /// Creates parameters from a dictionary, ignoring keys that are not strings and values that JSON cannot represent.
    init(_ dictionary: NSDictionary) {
        self.init(pairs: dictionary.map { ($0.key, $0.value) })
    }

    private init(pairs: [(name: Any, value: Any)]) {
        self.init(
            pairs.compactMap { pair in
                guard case .string(let name)? = JSONNode(any: pair.name) else { return nil }
                return JSONNode(any: pair.value).map { JSONMember(name: name, value: $0) }
            }
        )
    }

    /// The member with the given name, or nil if it is missing or null.
    subscript(_ name: String) -> JSONNode? {
        guard let value = self.members[name], value != .null else { return nil }
        return value
    }

    /// Returns a string member.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    /// Returns a member that is an absolute URL.
    func url(_ name: String) -> URL? {
        self.text(name).flatMap { URL(string: $0) }.flatMap { $0.scheme == nil ? nil : $0 }
    }

    /// Returns a member that is an array of strings, or nil if an element is of a different type.
    func texts(_ name: String) -> [String]? {
        guard case .array(let elements)? = self[name] else { return nil }
        let texts = elements.compactMap { element -> String? in
            guard case .string(let text) = element else { return nil }
            return text
        }
        return texts.count == elements.count ? texts : nil
    }

    /// Returns a Boolean member.
    ///
    /// An integer is true unless it is 0. A string is true if it is `true`, ignoring case.
    func flag(_ name: String) -> Bool? {
        switch self[name] {
        case .bool(let flag)?: flag
        case .integer(let integer)?: integer != 0
        case .string(let text)?: text.lowercased() == "true"
        default: nil
        }
    }

    /// Returns a number without its fraction.
    func integer(_ name: String) -> Int64? {
        switch self[name] {
        case .integer(let integer)?: integer
        case .double(let number)?: Int64(exactly: number.rounded(.towardZero))
        default: nil
        }
    }

    /// Returns a number of seconds without its fraction.
    ///
    /// A string of digits is also accepted.
    func seconds(_ name: String) -> TimeInterval? {
        if let integer = self.integer(name) { return TimeInterval(integer) }
        guard let text = self.text(name), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).map { TimeInterval($0) }
    }

    /// Returns a date from a number of seconds since 1970.
    func time(_ name: String) -> Date? { self.seconds(name).map { Date(timeIntervalSince1970: $0) } }

    /// Returns the members except those with the given names.
    func others(than names: Set<String>) -> JSONParameters {
        JSONParameters(self.sorted.filter { !names.contains($0.name) })
    }

    /// The members, sorted by name.
    var sorted: [JSONMember] {
        self.members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) }
    }

    /// The members as Swift and Foundation values.
    var dictionary: [String: Any] { self.members.mapValues(\.value) }

    /// The members as a dictionary that can be archived.
    var archived: NSDictionary {
        let members = self.sorted
        return NSDictionary(
            objects: members.map(\.value.archived),
            forKeys: members.map { NSString(string: $0.name) }
        )
    }
}

/// Converts parameters that an app adds to a request into strings.
///
/// AppAuth accepts Foundation objects for these parameters, and earlier versions accepted strings. Strings, numbers,
/// Booleans and URLs are supported. Other values are omitted.
enum TextParameters {
    /// Returns the parameters as strings, or nil if `parameters` is nil.
    static func texts(_ parameters: [String: Any]?) -> [String: String]? {
        parameters.map { $0.compactMapValues(Self.text) }
    }

    /// Returns the parameters as strings.
    static func texts(_ parameters: NSDictionary) -> [String: String] {
        JSONParameters(parameters).dictionary.compactMapValues(Self.text)
    }

    private static func text(_ value: Any) -> String? {
        switch JSONNode(any: value) {
        case .string(let text)?: text
        case .bool(let flag)?: "\(flag)"
        case .integer(let integer)?: "\(integer)"
        case .double(let number)?: "\(number)"
        default: nil
        }
    }
}
