// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A user's profile data for display.
public final class GIDProfileData: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The email address, which is empty if access to it was not granted.
    public let email: String
    /// The full name, which is empty if access to it was not granted.
    public let name: String
    /// The given name, or nil if the account has none.
    public let givenName: String?
    /// The family name, or nil if the account has none.
    public let familyName: String?
    let picture: String?

    init(email: String?, name: String?, givenName: String?, familyName: String?, picture: String?) {
        self.email = email ?? ""
        self.name = name ?? ""
        self.givenName = givenName
        self.familyName = familyName
        self.picture = Self.picture(picture)
    }

    /// Returns the URL of a picture, or nil if it is not an http or https URL.
    private static func picture(_ text: String?) -> String? { text.flatMap { ProfilePicture($0) == nil ? nil : $0 } }

    /// Returns whether another profile has the same values.
    func hasSameValues(as other: GIDProfileData) -> Bool {
        (self.email, self.name, self.givenName, self.familyName, self.picture)
            == (other.email, other.name, other.givenName, other.familyName, other.picture)
    }

    /// Whether the user has a profile picture.
    public var hasImage: Bool { self.picture != nil }

    /// Returns the URL of the user's profile picture at the given size.
    ///
    /// - Parameter dimension: The width and height in pixels.
    /// - Returns: The URL, or nil if there is no picture.
    public func imageURL(withDimension dimension: UInt) -> URL? {
        self.picture.flatMap { ProfilePicture($0)?.url(dimension: dimension) }
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the class supports secure coding, which is always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the profile with the keys that Google's library uses.
    public func encode(with coder: NSCoder) {
        let members = [
            ("email", self.email), ("name", self.name), ("given_name", self.givenName),
            ("family_name", self.familyName),
        ]
        for (key, value) in members { coder.encode(value as NSString?, forKey: key) }
        coder.encode(self.picture.flatMap { NSURL(string: $0) }, forKey: "image_url")
    }

    /// Decodes a profile encoded by this class or by Google's library.
    ///
    /// Earlier versions of that library encoded the picture as a string with the key `picture`. If an archive has both
    /// keys, `picture` is used. An unarchiver finds this class under its name in that library once the app has created
    /// or used a ``GIDSignIn``.
    public init?(coder: NSCoder) {
        func text(_ key: String) -> String? {
            let value = coder.value(Any.self, forKey: key)
            return (value as? String) ?? (value as? NSURL)?.absoluteString
        }
        self.email = text("email") ?? ""
        self.name = text("name") ?? ""
        self.givenName = text("given_name")
        self.familyName = text("family_name")
        self.picture = Self.picture(text("picture") ?? text("image_url"))
    }
}

/// The URL of a Google profile picture, which is available in different sizes.
struct ProfilePicture {
    private var components: URLComponents

    /// Creates a picture, or returns nil if the string is not an http or https URL.
    init?(_ text: String) {
        guard let components = URLComponents(string: text),
            ["http", "https"].contains(components.scheme?.lowercased()),
            components.host?.isEmpty == false
        else {
            return nil
        }
        self.components = components
    }

    /// Returns the URL of the picture with the given width and height in pixels.
    ///
    /// The size of an avatar follows its path, as in `…/a/photo=s96`. It replaces everything after the first `=`. Any
    /// other picture has its size in the query.
    func url(dimension: UInt) -> URL? {
        var components = self.components
        if self.isAvatar {
            let path = components.percentEncodedPath.prefix { $0 != "=" }
            components.percentEncodedPath = "\(path)=s\(dimension)"
        } else {
            components.percentEncodedQuery = "sz=\(dimension)"
        }
        return components.url
    }

    /// Whether the URL is directly below `/a/` or `/a-/` at one of the hosts for avatars.
    private var isAvatar: Bool {
        let path = self.components.percentEncodedPath
        guard self.components.port == nil, path.hasPrefix("/a/") || path.hasPrefix("/a-/") else { return false }
        let labels = (self.components.host ?? "").lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count == 3, ["google", "googleusercontent"].contains(labels[1]) else { return false }
        return Self.isAvatarServer(labels[0]) && labels[2].allSatisfy { ("a"..."z").contains($0) } && !labels[2].isEmpty
    }

    /// Returns whether a label is one of `lh3` to `lh6`, which may have one of the suffixes of Google's test servers.
    private static func isAvatarServer(_ label: Substring) -> Bool {
        guard ["lh3", "lh4", "lh5", "lh6"].contains(label.prefix(3)) else { return false }
        let suffix = label.dropFirst(3)
        if ["", "-tt", "-testonly"].contains(suffix) { return true }
        guard suffix.count == 3, suffix.hasPrefix("-d"), let last = suffix.last else { return false }
        return ("a"..."g").contains(last) || last == "z"
    }
}

extension NSCoder {
    /// Returns the value for a key, or nil if it is missing, null or of a different type.
    ///
    /// Foundation on Linux crashes on a missing key or a class that is not allowed, unless the unarchiver's owner has
    /// chosen a different policy. This method does not decode missing keys, and it allows every plain class before
    /// checking the type.
    func value<Value>(_ type: Value.Type = Value.self, forKey key: String) -> Value? {
        guard self.containsValue(forKey: key) else { return nil }
        let plain: [AnyClass] = [
            NSString.self, NSURL.self, NSDate.self, NSNumber.self, NSData.self, NSArray.self, NSDictionary.self,
            NSNull.self,
        ]
        return self.decodeObject(of: plain, forKey: key) as? Value
    }
}
