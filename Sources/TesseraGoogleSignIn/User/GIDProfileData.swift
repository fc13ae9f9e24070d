// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// What Google says about a person, for display.
public final class GIDProfileData: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The email address; empty where it was not granted.
    public let email: String
    /// The full name; empty where it was not granted.
    public let name: String
    /// The given name, nil where the account has none.
    public let givenName: String?
    /// The family name, nil where the account has none.
    public let familyName: String?
    let picture: String?

    init(email: String?, name: String?, givenName: String?, familyName: String?, picture: String?) {
        self.email = email ?? ""
        self.name = name ?? ""
        self.givenName = givenName
        self.familyName = familyName
        self.picture = picture
    }

    /// Whether the person has a picture.
    public var hasImage: Bool { self.picture != nil }

    /// The address of the person's picture, in a size.
    ///
    /// - Parameter dimension: width and height in pixels.
    /// - Returns: an https address, nil where there is no picture.
    public func imageURL(withDimension dimension: UInt) -> URL? {
        self.picture.flatMap { ProfilePicture($0)?.url(dimension: dimension) }
    }

    /// Itself: nothing in it changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Only secure coding is supported.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the members under the keys of Google's library.
    public func encode(with coder: NSCoder) {
        let members = [
            ("email", self.email), ("name", self.name), ("given_name", self.givenName),
            ("family_name", self.familyName), ("image_url", self.picture),
        ]
        for (key, value) in members { coder.encode(value as NSString?, forKey: key) }
    }

    /// Reads what `encode(with:)` wrote.
    ///
    /// Google's library writes the picture's address as a URL, and wrote it as `picture` before: both are read.
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

/// The address of a profile picture, in which Google lets its size be chosen.
struct ProfilePicture {
    private let base: String
    private let isSizedByPath: Bool

    /// Nil for what is no https URL.
    init?(_ text: String) {
        guard let parts = URIParts(text), parts.scheme == "https", let host = parts.host, URL(string: text) != nil
        else {
            return nil
        }
        let plain = text.prefix { $0 != "?" && $0 != "#" }
        self.isSizedByPath = Self.isPictureHost(host) && (plain.contains("/a/") || plain.contains("/a-/"))
        // Options stand behind the last «=», as in «…/photo=s96-c».
        let options = self.isSizedByPath ? plain.lastIndex(of: "=") : nil
        self.base = String(options.map { plain[..<$0] } ?? plain)
    }

    func url(dimension: UInt) -> URL? {
        URL(string: self.isSizedByPath ? "\(self.base)=s\(dimension)" : "\(self.base)?sz=\(dimension)")
    }

    /// `lh3` to `lh6` of googleusercontent or google.
    private static func isPictureHost(_ host: String) -> Bool {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count >= 3, let first = labels.first, ["lh3", "lh4", "lh5", "lh6"].contains(first) else {
            return false
        }
        return labels.contains("googleusercontent") || labels.contains("google")
    }
}

extension NSCoder {
    /// Returns the value under a key, or nil if there is no such key, null, or a value of another type.
    ///
    /// Foundation for Linux ends the process for an absent key and for a class that is not allowed, unless the unarchiver's
    /// owner chose another policy. So absent keys are not decoded, and every plain class is allowed and compared afterwards.
    func value<Value>(_ type: Value.Type = Value.self, forKey key: String) -> Value? {
        guard self.containsValue(forKey: key) else { return nil }
        let plain: [AnyClass] = [
            NSString.self, NSURL.self, NSDate.self, NSNumber.self, NSData.self, NSArray.self, NSDictionary.self,
            NSNull.self,
        ]
        return self.decodeObject(of: plain, forKey: key) as? Value
    }
}
