// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

/// Named values that a server sent, or that a program hands over as if one had.
///
/// A value of another type than the requested one is ignored: nothing traps.
struct JSONParameters: Sendable {
    private let members: [String: JSONNode]

    init(_ members: [JSONMember]) {
        self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The members of an object; none of anything else.
    init(_ object: JSONValue) {
        self.init(object.members.map { $0.map { JSONMember(name: $0.name, value: JSONNode($0.value)) } } ?? [])
    }

    /// What a dictionary holds; without the names that are no text, and the values that JSON has no word for.
    init(_ dictionary: [AnyHashable: Any]) {
        self.init(pairs: dictionary.map { ($0.key.base, $0.value) })
    }

    /// What a dictionary holds; without the names that are no text, and the values that JSON has no word for.
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

    /// The value of that name; null is none.
    subscript(_ name: String) -> JSONNode? {
        guard let value = self.members[name], value != .null else { return nil }
        return value
    }

    /// A text.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    /// A text that is an absolute URL.
    func url(_ name: String) -> URL? {
        self.text(name).flatMap { URL(string: $0) }.flatMap { $0.scheme == nil ? nil : $0 }
    }

    /// A list of texts.
    func texts(_ name: String) -> [String]? {
        guard case .array(let elements)? = self[name] else { return nil }
        let texts = elements.compactMap { element -> String? in
            guard case .string(let text) = element else { return nil }
            return text
        }
        return texts.count == elements.count ? texts : nil
    }

    /// A truth value; the text `true` and a number other than 0 are one too.
    func flag(_ name: String) -> Bool? {
        switch self[name] {
        case .bool(let flag)?: flag
        case .integer(let integer)?: integer != 0
        case .string(let text)?: text.lowercased() == "true"
        default: nil
        }
    }

    /// A number of seconds from 0 to the end of the year 9999, also as a text of digits; a negative one is 0.
    func seconds(_ name: String) -> TimeInterval? {
        let seconds: Double? =
            switch self[name] {
            case .integer(let integer)?: Double(integer)
            case .double(let number)?: number
            case .string(let text)?:
                text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text).map { Double($0) } : nil
            default: nil
            }
        guard let seconds, seconds.isFinite, seconds <= 253_402_300_799 else { return nil }
        return max(seconds, 0)
    }

    /// A point in time, as seconds since 1970.
    func time(_ name: String) -> Date? { self.seconds(name).map { Date(timeIntervalSince1970: $0) } }

    /// The others.
    func others(than names: Set<String>) -> JSONParameters {
        JSONParameters(self.sorted.filter { !names.contains($0.name) })
    }

    /// By name.
    var sorted: [JSONMember] {
        self.members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) }
    }

    /// As a program reads them.
    var dictionary: [String: Any] { self.members.mapValues(\.value) }

    /// As they stand in an archive.
    var archived: NSDictionary {
        let members = self.sorted
        return NSDictionary(
            objects: members.map(\.value.archived),
            forKeys: members.map { NSString(string: $0.name) }
        )
    }
}

/// Named values that a program adds to a request, as the texts that are sent.
///
/// AppAuth takes objects of Foundation here, earlier versions took texts: both are accepted, and so are numbers, truth
/// values and URLs. What has no text is left out.
enum TextParameters {
    /// The texts of a dictionary; nil of none.
    static func texts(_ parameters: [String: Any]?) -> [String: String]? {
        parameters.map { $0.compactMapValues(Self.text) }
    }

    /// The texts of a dictionary.
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
