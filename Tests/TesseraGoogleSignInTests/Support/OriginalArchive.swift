// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// An archive of an object of Google's library.
enum OriginalArchive {
    /// Returns the archive of an object with the given class name and members.
    static func data(_ className: String, _ members: [String: NSObject]) throws -> Data {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: MembersOfOriginal(members),
            requiringSecureCoding: true
        )
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        guard var archive = list as? [String: Any], let objects = archive["$objects"] as? [Any] else {
            throw CocoaError(.coderInvalidValue)
        }
        archive["$objects"] = objects.map { object -> Any in
            guard let type = object as? [String: Any], let name = type["$classname"] as? String,
                name == NSStringFromClass(MembersOfOriginal.self)
            else {
                return object
            }
            return ["$classname": className, "$classes": [className, "NSObject"]] as [String: Any]
        }
        return try PropertyListSerialization.data(fromPropertyList: archive, format: .binary, options: 0)
    }
}

extension OriginalArchive {
    /// Returns a coder for an object with the given members.
    static func coder(_ members: [String: NSObject]) throws -> NSKeyedUnarchiver {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        for (key, value) in members { archiver.encode(value, forKey: key) }
        archiver.finishEncoding()
        return try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    }
}

/// An object with members, whose class is renamed in the archive.
///
/// Foundation on Linux archives only classes that are neither nested nor private.
final class MembersOfOriginal: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    private let members: [String: NSObject]

    init(_ members: [String: NSObject]) { self.members = members }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (key, value) in self.members { coder.encode(value, forKey: key) }
    }
}

/// Returns an object after it has been archived and unarchived.
func archived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
}

/// Returns the value that an object encodes for a key.
func encodedValue(_ key: String, of value: some NSObject & NSSecureCoding) throws -> Any? {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    value.encode(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    defer { unarchiver.finishDecoding() }
    guard unarchiver.containsValue(forKey: key) else { return nil }
    return unarchiver.decodeObject(of: [NSString.self, NSURL.self, NSDate.self], forKey: key)
}
