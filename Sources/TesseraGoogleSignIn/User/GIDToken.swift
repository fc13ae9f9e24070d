// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A token and when it ends.
public final class GIDToken: NSObject, NSSecureCoding, CustomReflectable, Sendable {
    /// The token itself, empty where Google gave none.
    ///
    /// It is a secret: descriptions do not show it.
    public let tokenString: String
    /// When it ends, nil where Google does not say.
    public let expirationDate: Date?

    init(tokenString: String, expirationDate: Date?) {
        self.tokenString = tokenString
        self.expirationDate = expirationDate
    }

    /// Whether text and end are the same.
    public func isEqual(to otherToken: GIDToken) -> Bool {
        self.tokenString == otherToken.tokenString && self.expirationDate == otherToken.expirationDate
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? GIDToken).map { self.isEqual(to: $0) } ?? false
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(self.tokenString)
        hasher.combine(self.expirationDate)
        return hasher.finalize()
    }

    /// Only secure coding is supported.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the token in the clear, as Google's library does: an archive is as secret as what is in it.
    public func encode(with coder: NSCoder) {
        coder.encode(self.tokenString as NSString, forKey: "tokenString")
        coder.encode(self.expirationDate as NSDate?, forKey: "expirationDate")
    }

    /// Reads what `encode(with:)` or Google's library wrote; nil without a token.
    public init?(coder: NSCoder) {
        guard let tokenString = coder.value(String.self, forKey: "tokenString") else { return nil }
        self.tokenString = tokenString
        self.expirationDate = coder.value(Date.self, forKey: "expirationDate")
    }

    /// When it ends; never the token.
    public override var description: String {
        "token" + (self.expirationDate.map { " until \($0)" } ?? "")
    }
    public override var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
