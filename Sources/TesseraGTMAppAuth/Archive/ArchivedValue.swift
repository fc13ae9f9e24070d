// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A value that an archive holds as an object of Foundation.
protocol ArchivedValue: Sendable {
    /// Returns the value of an archived object; nil for an object of another type.
    static func unarchived(_ object: Any) -> Self?

    /// The value for an archive; nil for null.
    var archivedObject: NSObject? { get }
}

/// Takes values of one object out of an archive.
///
/// A key that is absent or null gives nil. One that holds something else than was requested gives nil too, and ``isWhole``
/// is false from then on: such an object must not be made.
struct ArchiveReader {
    private let coder: NSCoder
    /// Whether everything so far was of the requested type.
    private(set) var isWhole = true

    init(_ coder: NSCoder) { self.coder = coder }

    mutating func value<Value: ArchivedValue>(_ key: String, as type: Value.Type = Value.self) -> Value? {
        // Foundation for Linux takes a key that is not there for damage.
        guard self.coder.containsValue(forKey: key),
            let object = self.coder.decodeObject(of: AppAuthArchive.allowed, forKey: key)
        else { return nil }
        let value = Value.unarchived(object)
        if value == nil { self.isWhole = false }
        return value
    }
}

extension NSCoder {
    /// Writes what ``ArchiveReader`` reads; nil is written as null, as AppAuth does.
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
    /// Domain and code alone: what else an error holds may be anything, including a secret.
    var archivedObject: NSObject? {
        #if canImport(ObjectiveC)
        NSError(domain: self.domain, code: self.code, userInfo: [:])
        #else
        ArchivedError(domain: self.domain, code: self.code, userInfo: [:])
        #endif
    }
}

#if !canImport(ObjectiveC)
/// An error whose hash can be computed, and whose code is archived whatever it is.
///
/// Foundation for Linux ends the process over the hash of an `NSError`, for which its archiver asks, and over a code that
/// does not fit into 32 bits.
///
/// `@unchecked`, as its superclass is: it adds nothing.
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
