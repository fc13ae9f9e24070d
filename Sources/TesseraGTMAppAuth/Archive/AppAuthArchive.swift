// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Archives objects with AppAuth's class names and keys, so that each library can read the other's archives.
///
/// The runtime names of this module's classes have the form `TesseraGTMAppAuth.OIDAuthState`, so an app can link
/// AppAuth and GTMAppAuth at the same time. Archives use the original libraries' class names. The mapping applies to a
/// single archive and never to the whole process, so a plain `NSKeyedArchiver` or `NSKeyedUnarchiver` does not know
/// about it.
///
/// Use this type instead of those two classes for an `OID…` object or an ``AuthSession``.
public enum AppAuthArchive {
    /// This module's classes and the names they have in archives.
    package static var classes: [(name: String, type: AnyClass)] {
        [
            // GTMAppAuth archives its sessions under the name of the class that preceded them.
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

    /// The classes in this module that replace a Foundation class.
    private static var replacements: [(name: String, type: AnyClass)] {
        #if canImport(ObjectiveC)
        []
        #else
        [("NSError", ArchivedError.self)]
        #endif
    }

    /// Additional class names that are accepted when reading but never written.
    private static var otherNames: [(name: String, type: AnyClass)] { [("GTMAuthSession", AuthSession.self)] }

    /// The Foundation classes that archives contain.
    private static var plainClasses: [AnyClass] {
        [
            NSString.self, NSNumber.self, NSURL.self, NSDate.self, NSArray.self, NSDictionary.self, NSNull.self,
            NSError.self,
        ]
    }

    /// The names of the Foundation classes that an archive may contain, including mutable ones.
    private static let plainNames: Set<String> = [
        "NSString", "NSMutableString", "NSURL", "NSDate", "NSArray", "NSMutableArray", "NSDictionary",
        "NSMutableDictionary", "NSNull", "NSError",
    ]

    /// All classes that an archive may contain.
    ///
    /// Every key allows all of these classes, and the type of the decoded object is checked afterward. Foundation on
    /// Linux crashes if it encounters a class that is not allowed.
    static var allowed: [AnyClass] { self.plainClasses + self.classes.map(\.type) }

    /// Archives an object as a binary property list.
    ///
    /// - Parameter object: The object to archive.
    /// - Returns: The archive.
    /// - Throws: Any error that the archiver throws.
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
    /// Returns the archive with the original libraries' class names.
    ///
    /// Foundation on Linux ignores `setClassName(_:for:)`.
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

    /// Registers the archived names of this module's classes with an unarchiver that reads the app's own archives.
    public static func setClassNames(of unarchiver: NSKeyedUnarchiver) {
        for known in self.classes + self.otherNames { unarchiver.setClass(known.type, forClassName: known.name) }
    }

    /// Returns the root object in a binary archive.
    ///
    /// - Throws: `CocoaError` with the code `coderReadCorrupt` if the data is not a binary archive, contains other
    ///   classes, or has a value that is missing or of the wrong type. XML archives are not supported. Convert them
    ///   with `plutil -convert binary1`.
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
