// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Archives with the class names and keys that AppAuth's have, so that each reads the other's.
///
/// The names are those of one archive at a time, never of the whole process: a program may use the same names for
/// classes of its own.
///
/// Use it where a program for Apple's systems uses `NSKeyedArchiver` on an `OID…` object or an ``AuthSession``: elsewhere
/// Foundation writes the module before each class's name, and may end the process over a damaged archive.
public enum AppAuthArchive {
    /// The classes of this module, with the names under which archives know them.
    static var classes: [(name: String, type: AnyClass)] {
        [
            ("NSError", ArchivedError.self),
            // GTMAppAuth calls its sessions by the name of what was there before them.
            ("GTMAppAuthFetcherAuthorization", AuthSession.self),
            ("OIDAuthState", OIDAuthState.self),
            ("OIDServiceConfiguration", OIDServiceConfiguration.self),
            ("OIDServiceDiscovery", OIDServiceDiscovery.self),
            ("OIDAuthorizationRequest", OIDAuthorizationRequest.self),
            ("OIDAuthorizationResponse", OIDAuthorizationResponse.self),
            ("OIDTokenRequest", OIDTokenRequest.self),
            ("OIDTokenResponse", OIDTokenResponse.self),
            ("OIDEndSessionRequest", OIDEndSessionRequest.self),
            ("OIDEndSessionResponse", OIDEndSessionResponse.self),
            ("OIDRegistrationRequest", OIDRegistrationRequest.self),
            ("OIDRegistrationResponse", OIDRegistrationResponse.self),
        ]
    }

    /// Other names of them that are read and not written.
    private static var otherNames: [(name: String, type: AnyClass)] { [("GTMAuthSession", AuthSession.self)] }

    /// The classes of Foundation that stand in archives.
    private static var plainClasses: [AnyClass] {
        [
            NSString.self, NSNumber.self, NSURL.self, NSDate.self, NSArray.self, NSDictionary.self, NSNull.self,
            NSError.self,
        ]
    }

    /// The mutable ones that an archive may name, and those above.
    private static let plainNames: Set<String> = [
        "NSString", "NSMutableString", "NSURL", "NSDate", "NSArray", "NSMutableArray", "NSDictionary",
        "NSMutableDictionary", "NSNull", "NSError",
    ]

    /// Every class that an object may be made of.
    ///
    /// All of them are allowed under each key, and what comes is compared with what was wanted afterwards: Foundation for
    /// Linux ends the process where a class is none of those that are allowed.
    static var allowed: [AnyClass] { self.plainClasses + self.classes.map(\.type) }

    /// An object as an archive, a binary property list.
    ///
    /// - Throws: what the archiver complains about.
    public static func archive(_ object: some NSObject & NSSecureCoding) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        if let error = archiver.error { throw error }
        return try self.renamed(archiver.encodedData)
    }

    /// The archive with the short names of the classes.
    ///
    /// Outside Objective-C a class has its module's name before its own, and Foundation for Linux forgets what
    /// `setClassName(_:for:)` is told.
    private static func renamed(_ data: Data) throws -> Data {
        let names = Dictionary(uniqueKeysWithValues: self.classes.map { (NSStringFromClass($0.type), $0.name) })
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        guard var archive = list as? [String: Any], let objects = archive["$objects"] as? [Any] else {
            throw CocoaError(.coderInvalidValue)
        }
        archive["$objects"] = objects.map { object -> Any in
            guard let type = object as? [String: Any], let long = type["$classname"] as? String, let name = names[long]
            else {
                return object
            }
            return ["$classname": name, "$classes": [name, "NSObject"]] as [String: Any]
        }
        return try PropertyListSerialization.data(fromPropertyList: archive, format: .binary, options: 0)
    }

    /// The object that is the root of an archive.
    ///
    /// - Throws: a `CocoaError` with `coderReadCorrupt` for what is no archive, holds other classes than these, lacks what
    ///   an object needs or has something else in its place.
    public static func unarchive<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        from data: Data
    ) throws -> Object {
        let qualified = self.classes.map { NSStringFromClass($0.type) }
        let known = self.classes + self.otherNames
        let names = self.plainNames.union(known.map(\.name)).union(qualified)
        try ArchiveGraph(data).check(classNames: names)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        for known in known { unarchiver.setClass(known.type, forClassName: known.name) }
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(of: self.allowed, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        guard let object = object as? Object else { throw CocoaError(.coderReadCorrupt) }
        return object
    }
}
