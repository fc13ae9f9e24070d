// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth

/// A coder that enforces Apple's rule for secure coding, which Foundation on Linux does not check.
///
/// If a class has its own `init(coder:)` and its superclass supports secure coding, it must override
/// `supportsSecureCoding` itself. Swift gives every subclass an `init(coder:)`, either written or inherited, so the
/// rule applies to each of them.
enum AppleCoder {
    /// A class that breaks the rule.
    struct Violation: Error {
        let className: String
    }

    /// Archives an object and returns the unarchived copy.
    static func copy<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try AppAuthArchive.archive(object)
        let names = try ArchivePlist(data).classNames()
        for known in AppAuthArchive.classes where names.contains(known.name) { try self.check(known.type) }
        return try AppAuthArchive.unarchive(Object.self, from: data)
    }

    /// Throws an error if a class breaks the rule.
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
    /// Whether the override table in the class descriptor has the getter of a class property.
    ///
    /// `supportsSecureCoding` is the only class property of the checked classes.
    ///
    /// - SeeAlso: `TargetClassDescriptor` in [Metadata.h](https://github.com/swiftlang/swift/blob/main/include/swift/ABI/Metadata.h)
    private static func overridesClassProperty(_ type: AnyClass) -> Bool {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        let flags = descriptor.load(as: UInt32.self) >> 16
        let (hasSingletonInitialization, hasResilientSuperclass) = (flags & 3 == 1, flags & 1 << 13 != 0)
        let (hasOverrideTable, hasMethodTable) = (flags & 1 << 14 != 0, flags & 1 << 15 != 0)
        var location = descriptor + 44
        if hasResilientSuperclass { location += 4 }
        if hasSingletonInitialization { location += 12 }
        if hasMethodTable { location += 8 + 8 * Int(location.load(fromByteOffset: 4, as: UInt32.self)) }
        guard hasOverrideTable else { return false }
        let count = Int(location.load(as: UInt32.self))
        // Each entry holds relative pointers to the class, the overridden method, and the implementation.
        return (0..<count)
            .contains { index in
                let field = location + 4 + 12 * index + 4
                let distance = field.load(as: Int32.self)
                let target = field + Int(distance & ~1)
                let method = distance & 1 == 0 ? target : target.load(as: UnsafeRawPointer.self)
                // The kind is a getter, and the method is not an instance method.
                return method.load(as: UInt32.self) & 0x1F == 2
            }
    }
    #endif
}
