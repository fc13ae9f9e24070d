// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Archives with the class names and keys of AppAuth, so that each library reads the other's archives.
///
/// At run time the classes of this module are called `TesseraGTMAppAuth.OIDAuthState` and so on, so that a program can link
/// AppAuth and GTMAppAuth as well. In archives they have the ancestors' names. The names are those of one archive at a
/// time, never of the whole process: `NSKeyedArchiver` and `NSKeyedUnarchiver` alone do not know them.
///
/// Use it in place of these two for an `OID…` object or an ``AuthSession``.
public enum AppAuthArchive {
    /// The classes of this module, with the names under which archives know them.
    package static var classes: [(name: String, type: AnyClass)] {
        [
            // GTMAppAuth calls its sessions by the name of the class before them.
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
        ] + self.replacements
    }

    /// The classes of this module that take the place of one of Foundation's.
    private static var replacements: [(name: String, type: AnyClass)] {
        #if canImport(ObjectiveC)
        []
        #else
        [("NSError", ArchivedError.self)]
        #endif
    }

    /// Other names of them that are read and not written.
    private static var otherNames: [(name: String, type: AnyClass)] { [("GTMAuthSession", AuthSession.self)] }

    /// The classes of Foundation that archives contain.
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
        #if canImport(ObjectiveC)
        for known in self.classes { archiver.setClassName(known.name, for: known.type) }
        #endif
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        if let error = archiver.error { throw error }
        #if canImport(ObjectiveC)
        return archiver.encodedData
        #else
        return try self.renamed(archiver.encodedData)
        #endif
    }

    #if !canImport(ObjectiveC)
    /// The archive with the ancestors' names of the classes: Foundation for Linux ignores `setClassName(_:for:)`.
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
    #endif

    /// Lets an unarchiver of the program's own archives find the classes of this module by the ancestors' names.
    public static func setClassNames(of unarchiver: NSKeyedUnarchiver) {
        for known in self.classes + self.otherNames { unarchiver.setClass(known.type, forClassName: known.name) }
    }

    /// Returns the object that is the root of a binary archive.
    ///
    /// - Throws: a `CocoaError` with `coderReadCorrupt` for data that is not a binary archive, holds other classes than
    ///   these, lacks what an object needs or has something else in its place. An archive as XML is refused too;
    ///   `plutil -convert binary1` makes it binary.
    public static func unarchive<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        from data: Data
    ) throws -> Object {
        let known = self.classes + self.otherNames
        let qualified = known.map { NSStringFromClass($0.type) }
        let names = self.plainNames.union(known.map(\.name)).union(qualified)
        try ArchiveGraph(data).check(classNames: names)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        self.setClassNames(of: unarchiver)
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(of: self.allowed, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        guard let object = object as? Object else { throw CocoaError(.coderReadCorrupt) }
        return object
    }
}
