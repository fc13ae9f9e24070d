// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

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
        self.picture = picture
    }

    /// Whether the user has a profile picture.
    public var hasImage: Bool { self.picture != nil }

    /// Returns the URL of the user's profile picture at the given size.
    ///
    /// - Parameter dimension: The width and height in pixels.
    /// - Returns: An https URL, or nil if there is no picture.
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
            ("family_name", self.familyName), ("image_url", self.picture),
        ]
        for (key, value) in members { coder.encode(value as NSString?, forKey: key) }
    }

    /// Decodes a profile encoded by this class or by Google's library.
    ///
    /// Google's library encodes the picture as a URL. Earlier versions of the library used the key `picture`. Both are
    /// supported.
    public init?(coder: NSCoder) {
        func text(_ key: String) -> String? {
            let value = coder.value(Any.self, forKey: key)
            return (value as? String) ?? (value as? URL)?.absoluteString
        }
        self.email = text("email") ?? ""
        self.name = text("name") ?? ""
        self.givenName = text("given_name")
        self.familyName = text("family_name")
        self.picture = text("image_url") ?? text("picture")
    }
}

/// The URL of a Google profile picture, which is available in different sizes.
struct ProfilePicture {
    private let base: String
    private let isSizedByPath: Bool

    /// Creates a picture, or returns nil if the string is not an https URL.
    init?(_ text: String) {
        guard let parts = URIParts(text), parts.scheme == "https", let host = parts.host, URL(string: text) != nil
        else {
            return nil
        }
        let plain = text.prefix { $0 != "?" && $0 != "#" }
        self.isSizedByPath = Self.isPictureHost(host) && (plain.contains("/a/") || plain.contains("/a-/"))
        // Options follow the last "=", as in "…/photo=s96-c".
        let options = self.isSizedByPath ? plain.lastIndex(of: "=") : nil
        self.base = String(options.map { plain[..<$0] } ?? plain)
    }

    func url(dimension: UInt) -> URL? {
        URL(string: self.isSizedByPath ? "\(self.base)=s\(dimension)" : "\(self.base)?sz=\(dimension)")
    }

    /// Returns whether the host is one of `lh3` to `lh6` at googleusercontent or google.
    private static func isPictureHost(_ host: String) -> Bool {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count >= 3, let first = labels.first, ["lh3", "lh4", "lh5", "lh6"].contains(first) else {
            return false
        }
        return labels.contains("googleusercontent") || labels.contains("google")
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
