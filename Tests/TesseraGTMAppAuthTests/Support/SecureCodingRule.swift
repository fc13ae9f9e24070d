// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

/// A coder that rejects what Apple's secure coders reject, and Foundation for Linux accepts.
///
/// A class whose superclass supports secure coding, and that has an `init(coder:)` of its own, has to override
/// `supportsSecureCoding` itself. Swift gives every subclass an `init(coder:)`, either written or inherited, so the rule
/// applies to each of them.
enum AppleCoder {
    /// A class that breaks the rule.
    struct Violation: Error {
        let className: String
    }

    /// An object's copy: what an archive of it gives back.
    static func copy<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try AppAuthArchive.archive(object)
        let names = try ArchivePlist(data).classNames()
        for known in AppAuthArchive.classes where names.contains(known.name) { try self.check(known.type) }
        return try AppAuthArchive.unarchive(Object.self, from: data)
    }

    /// Checks a class.
    static func check(_ type: AnyClass) throws {
        guard type is any NSSecureCoding.Type else { throw Violation(className: String(reflecting: type)) }
        let isInherited = _getSuperclass(type) is any NSSecureCoding.Type
        if isInherited, !self.overridesClassProperty(type) { throw Violation(className: String(reflecting: type)) }
    }

    #if canImport(ObjectiveC)
    private static func overridesClassProperty(_ type: AnyClass) -> Bool {
        var count: UInt32 = 0
        guard let methods = class_copyMethodList(object_getClass(type), &count) else { return false }
        defer { free(methods) }
        return (0..<Int(count)).contains { method_getName(methods[$0]) == NSSelectorFromString("supportsSecureCoding") }
    }
    #else
    /// Whether the table of overrides in the class's descriptor has the getter of a class property.
    ///
    /// `supportsSecureCoding` is the only class property of the classes that are checked.
    ///
    /// - SeeAlso: `TargetClassDescriptor` in [Metadata.h](https://github.com/swiftlang/swift/blob/main/include/swift/ABI/Metadata.h)
    private static func overridesClassProperty(_ type: AnyClass) -> Bool {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        let flags = descriptor.load(as: UInt32.self) >> 16
        let (hasSingletonInitialization, hasResilientSuperclass) = (flags & 3 == 1, flags & 1 << 13 != 0)
        let (hasOverrideTable, hasMethodTable) = (flags & 1 << 14 != 0, flags & 1 << 15 != 0)
        var place = descriptor + 44
        if hasResilientSuperclass { place += 4 }
        if hasSingletonInitialization { place += 12 }
        if hasMethodTable { place += 8 + 8 * Int(place.load(fromByteOffset: 4, as: UInt32.self)) }
        guard hasOverrideTable else { return false }
        let count = Int(place.load(as: UInt32.self))
        // Each entry: the class, the method that is overridden, and the implementation, as relative pointers.
        return (0..<count)
            .contains { index in
                let field = place + 4 + 12 * index + 4
                let distance = field.load(as: Int32.self)
                let target = field + Int(distance & ~1)
                let method = distance & 1 == 0 ? target : target.load(as: UnsafeRawPointer.self)
                // The kind is a getter, and the method is not an instance's.
                return method.load(as: UInt32.self) & 0x1F == 2
            }
    }
    #endif
}
