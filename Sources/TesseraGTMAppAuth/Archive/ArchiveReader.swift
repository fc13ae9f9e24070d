// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// Takes values of one object out of an archive.
///
/// A key that is absent or null gives nil. One that holds something else than was asked for gives nil too, and
/// ``isWhole`` is false from then on: such an object is not to be made.
struct ArchiveReader {
    private let coder: NSCoder
    /// Whether everything so far was of the type that was asked for.
    private(set) var isWhole = true

    init(_ coder: NSCoder) { self.coder = coder }

    /// A text.
    mutating func text(_ key: String) -> String? { self.value(key, Self.text) }

    /// A URL.
    mutating func url(_ key: String) -> URL? { self.value(key, Self.url) }

    /// A point in time.
    mutating func date(_ key: String) -> Date? {
        self.value(key) {
            ($0 as? NSDate).map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
        }
    }

    /// A list of texts.
    mutating func texts(_ key: String) -> [String]? { self.value(key) { Self.list($0, Self.text) } }

    /// A list of URLs.
    mutating func urls(_ key: String) -> [URL]? { self.value(key) { Self.list($0, Self.url) } }

    /// Texts by name.
    mutating func textMembers(_ key: String) -> [String: String]? {
        self.value(key) { value in
            guard let dictionary = value as? NSDictionary else { return nil }
            let texts = TextParameters.texts(dictionary)
            return texts.count == dictionary.count ? texts : nil
        }
    }

    /// Values as JSON has them, by name.
    mutating func parameters(_ key: String) -> JSONParameters? {
        self.value(key) { ($0 as? NSDictionary).map { JSONParameters($0) } }
    }

    /// An object of this module.
    mutating func object<Object: NSObject>(_ key: String, _ type: Object.Type) -> Object? {
        self.value(key) { $0 as? Object }
    }

    private mutating func value<Value>(_ key: String, _ convert: (Any) -> Value?) -> Value? {
        // Foundation for Linux takes a key that is not there for damage.
        guard self.coder.containsValue(forKey: key),
            let object = self.coder.decodeObject(of: AppAuthArchive.allowed, forKey: key)
        else {
            return nil
        }
        let value = convert(object)
        if value == nil { self.isWhole = false }
        return value
    }

    private static func text(_ value: Any) -> String? { (value as? NSString).map { $0.description } }

    private static func url(_ value: Any) -> URL? {
        (value as? NSURL).flatMap(\.absoluteString).flatMap { URL(string: $0) }
    }

    private static func list<Element>(_ value: Any, _ convert: (Any) -> Element?) -> [Element]? {
        guard let array = value as? NSArray else { return nil }
        let elements = array.compactMap(convert)
        return elements.count == array.count ? elements : nil
    }
}

extension NSCoder {
    /// Writes what ``ArchiveReader`` reads; nil is written as null, as AppAuth does it.
    func encode(members: KeyValuePairs<String, Any?>) {
        for (key, value) in members { self.encode(value.flatMap { Self.archived($0) }, forKey: key) }
    }

    private static func archived(_ value: Any) -> Any? {
        switch value {
        case let text as String: NSString(string: text)
        case let url as URL: NSURL(string: url.absoluteString)
        case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let texts as [String]: NSArray(array: texts.map { NSString(string: $0) })
        case let urls as [URL]: NSArray(array: urls.compactMap { NSURL(string: $0.absoluteString) })
        case let members as [String: String]: JSONParameters(members).archived
        case let members as JSONParameters: members.archived
        default: value
        }
    }
}
