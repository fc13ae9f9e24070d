// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A value that is archived as a Foundation object.
protocol ArchivedValue: Sendable {
    /// Returns the value of an archived object, or nil if the object is of a different type.
    static func unarchived(_ object: Any) -> Self?

    /// The object to archive, or nil for null.
    var archivedObject: NSObject? { get }
}

/// Decodes the values of a single object.
///
/// A missing or null value is nil. A value of the wrong type is also nil, and it sets ``isWhole`` to false. In that
/// case, the object must not be created.
struct ArchiveReader {
    private let coder: NSCoder
    /// Whether all values decoded so far had the requested type.
    private(set) var isWhole = true

    init(_ coder: NSCoder) { self.coder = coder }

    mutating func value<Value: ArchivedValue>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        // Foundation on Linux treats a missing key as a damaged archive.
        guard self.coder.containsValue(forKey: key),
            let object = self.coder.decodeObject(of: AppAuthArchive.allowed, forKey: key)
        else { return nil }
        let value = Value.unarchived(object)
        if value == nil { self.isWhole = false }
        return value
    }
}

extension NSCoder {
    /// Encodes values for ``ArchiveReader``.
    ///
    /// As in AppAuth, nil is written as null.
    func encode(members: KeyValuePairs<String, (any ArchivedValue)?>) {
        for (key, value) in members { self.encode(value?.archivedObject, forKey: key) }
    }
}

extension ArchivedValue where Self: NSObject {
    static func unarchived(_ object: Any) -> Self? { object as? Self }
    var archivedObject: NSObject? { self }
}

extension String: ArchivedValue {
    static func unarchived(_ object: Any) -> String? { (object as? NSString)?.description }
    var archivedObject: NSObject? { NSString(string: self) }
}

extension URL: ArchivedValue {
    static func unarchived(_ object: Any) -> URL? {
        (object as? NSURL).flatMap(\.absoluteString).flatMap { URL(string: $0) }
    }
    var archivedObject: NSObject? { NSURL(string: self.absoluteString) }
}

extension Date: ArchivedValue {
    static func unarchived(_ object: Any) -> Date? {
        (object as? NSDate).map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
    }
    var archivedObject: NSObject? {
        NSDate(timeIntervalSinceReferenceDate: self.timeIntervalSinceReferenceDate)
    }
}

extension Array: ArchivedValue where Element: ArchivedValue {
    static func unarchived(_ object: Any) -> [Element]? {
        guard let array = object as? NSArray else { return nil }
        let elements = array.compactMap { Element.unarchived($0) }
        return elements.count == array.count ? elements : nil
    }
    var archivedObject: NSObject? { NSArray(array: self.compactMap(\.archivedObject)) }
}

extension JSONParameters: ArchivedValue {
    static func unarchived(_ object: Any) -> JSONParameters? { (object as? NSDictionary).map { JSONParameters($0) } }
    var archivedObject: NSObject? { self.archived }
}

extension [String: String]: ArchivedValue {
    static func unarchived(_ object: Any) -> [String: String]? {
        guard let dictionary = object as? NSDictionary else { return nil }
        let texts = TextParameters.texts(dictionary)
        return texts.count == dictionary.count ? texts : nil
    }
    var archivedObject: NSObject? { JSONParameters(self).archived }
}

extension NSError: ArchivedValue {
    /// The error's domain and code.
    ///
    /// The user info is not archived, because it can contain anything, including secrets.
    var archivedObject: NSObject? {
        #if canImport(ObjectiveC)
        NSError(domain: self.domain, code: self.code, userInfo: [:])
        #else
        ArchivedError(domain: self.domain, code: self.code, userInfo: [:])
        #endif
    }
}

#if !canImport(ObjectiveC)
/// An error that can be hashed and that can archive any code.
///
/// On Linux, Foundation's archiver hashes the objects that it encodes. Hashing an `NSError` causes a crash, and so does
/// archiving a code that does not fit into 32 bits.
///
/// The conformance to `Sendable` is `@unchecked` because the superclass's conformance is. It is safe because this class
/// has no stored property.
final class ArchivedError: NSError, @unchecked Sendable {
    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.domain)
        hasher.combine(self.code)
        return hasher.finalize()
    }

    override func encode(with coder: NSCoder) {
        coder.encode(NSString(string: self.domain), forKey: "NSDomain")
        coder.encode(self.code, forKey: "NSCode")
        coder.encode(NSDictionary(), forKey: "NSUserInfo")
    }
}
#endif
