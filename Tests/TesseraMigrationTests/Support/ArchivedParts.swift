// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing

/// A class that `NSKeyedArchiver` writes with a class name, keys and types of AppAuth, GTMAppAuth or GoogleSignIn.
class ArchivedPart: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }
    /// The name of the class in archives.
    class var published: String { "" }

    private let values: [(key: String, value: NSObject?)]

    init(_ values: [(String, NSObject?)]) { self.values = values.map { (key: $0.0, value: $0.1) } }
    required init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (key, value) in self.values { coder.encode(value, forKey: key) }
    }
}

final class AuthStatePart: ArchivedPart { override class var published: String { "OIDAuthState" } }
final class AuthorizationResponsePart: ArchivedPart {
    override class var published: String { "OIDAuthorizationResponse" }
}
final class AuthorizationRequestPart: ArchivedPart {
    override class var published: String { "OIDAuthorizationRequest" }
}
final class TokenResponsePart: ArchivedPart { override class var published: String { "OIDTokenResponse" } }
final class TokenRequestPart: ArchivedPart { override class var published: String { "OIDTokenRequest" } }
final class ConfigurationPart: ArchivedPart { override class var published: String { "OIDServiceConfiguration" } }
final class SessionPart: ArchivedPart { override class var published: String { "GTMAppAuthFetcherAuthorization" } }
final class UserPart: ArchivedPart { override class var published: String { "GIDGoogleUser" } }
final class AuthenticationPart: ArchivedPart { override class var published: String { "GIDAuthentication" } }
final class ProfilePart: ArchivedPart { override class var published: String { "GIDProfileData" } }

/// Sample archives of ``ArchivedPart`` subclasses.
enum SampleArchive {
    private static let parts: [ArchivedPart.Type] = [
        AuthStatePart.self, AuthorizationResponsePart.self, AuthorizationRequestPart.self, TokenResponsePart.self,
        TokenRequestPart.self, ConfigurationPart.self, SessionPart.self, UserPart.self, AuthenticationPart.self,
        ProfilePart.self,
    ]

    /// Returns the archive of an object.
    static func bytes(_ object: ArchivedPart) throws -> [UInt8] {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        if let error = archiver.error { throw error }
        return try self.renamed(archiver.encodedData)
    }

    /// Replaces class names, because Foundation on Linux adds the module name and ignores custom class names.
    private static func renamed(_ data: Data) throws -> [UInt8] {
        let names = Dictionary(uniqueKeysWithValues: self.parts.map { (NSStringFromClass($0), $0.published) })
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        var archive = try #require(list as? [String: Any])
        let objects = try #require(archive["$objects"] as? [Any])
        archive["$objects"] = objects.map { object -> Any in
            guard let type = object as? [String: Any], let long = type["$classname"] as? String,
                let name = names[long]
            else { return object }
            return ["$classname": name, "$classes": [name, "NSObject"]] as [String: Any]
        }
        return Array(try PropertyListSerialization.data(fromPropertyList: archive, format: .binary, options: 0))
    }

    static func text(_ text: String?) -> NSObject? { text.map { NSString(string: $0) } }
    static func url(_ text: String?) -> NSObject? { text.flatMap { NSURL(string: $0) } }

    static func configuration(_ issuer: String? = nil, token: String? = nil) -> ConfigurationPart {
        ConfigurationPart([
            ("authorizationEndpoint", self.url("https://accounts.google.com/o/oauth2/v2/auth")),
            ("tokenEndpoint", self.url(token ?? "https://www.googleapis.com/oauth2/v4/token")),
            ("issuer", self.url(issuer)), ("registrationEndpoint", nil), ("endSessionEndpoint", nil),
            ("discoveryDocument", nil),
        ])
    }

    static func authState(
        refreshToken: String? = "refresh-canary",
        clientID: String = "client.apps.googleusercontent.com",
        authorizedClientID: String? = nil,
        configuration: ConfigurationPart = Self.configuration()
    ) -> AuthStatePart {
        let date = NSDate(timeIntervalSinceReferenceDate: 700_000_000.5)
        let parameters = NSDictionary(dictionary: [NSString(string: "audience"): NSString(string: "server-client")])
        let authorization = AuthorizationRequestPart([
            ("configuration", configuration), ("response_type", self.text("code")),
            ("client_id", self.text(authorizedClientID ?? clientID)), ("client_secret", nil),
            ("scope", self.text("openid email")), ("redirect_uri", self.url("com.example.app:/oauth2redirect")),
            ("state", self.text("state-canary")), ("nonce", self.text("nonce-canary")),
            ("code_verifier", self.text("verifier-canary")), ("code_challenge", self.text("challenge")),
            ("code_challenge_method", self.text("S256")), ("additionalParameters", parameters),
        ])
        let exchange = TokenRequestPart([
            ("configuration", configuration), ("grant_type", self.text("authorization_code")),
            ("code", self.text("code-canary")), ("client_id", self.text(clientID)),
            ("client_secret", self.text("secret-canary")),
            ("redirect_uri", self.url("com.example.app:/oauth2redirect")),
            ("scope", nil), ("refresh_token", nil), ("code_verifier", self.text("verifier-canary")),
            ("additionalParameters", parameters), ("additionalHeaders", nil),
        ])
        return AuthStatePart([
            (
                "lastAuthorizationResponse",
                AuthorizationResponsePart([
                    ("request", authorization), ("code", self.text("code-canary")),
                    ("state", self.text("state-canary")),
                    ("access_token", nil), ("expires_in", nil), ("token_type", nil), ("id_token", nil),
                    ("scope", self.text("openid email")), ("additionalParameters", parameters),
                ])
            ),
            (
                "lastTokenResponse",
                TokenResponsePart([
                    ("request", exchange), ("access_token", self.text("access-canary")), ("expires_in", date),
                    ("token_type", self.text("Bearer")), ("id_token", self.text("id-canary")),
                    ("refresh_token", self.text(refreshToken)), ("scope", self.text("openid email")),
                    ("additionalParameters", parameters),
                ])
            ),
            ("authorizationError", nil), ("scope", self.text("openid email https://www.googleapis.com/auth/drive")),
            ("refreshToken", self.text(refreshToken)), ("needsTokenRefresh", NSNumber(value: false)),
        ])
    }

    static func session(_ state: AuthStatePart = Self.authState()) -> SessionPart {
        SessionPart([
            ("authState", state), ("serviceProvider", self.text("Google")), ("userID", self.text("42")),
            ("userEmail", self.text("zoë@example.com")), ("userEmailIsVerified", self.text("y")),
        ])
    }

    private static var profile: ProfilePart {
        ProfilePart([
            ("email", self.text("zoë@example.com")), ("name", self.text("Zoë")), ("given_name", self.text("Zoë")),
            ("family_name", nil), ("image_url", self.url("https://lh3.googleusercontent.com/a")),
        ])
    }

    /// A user as GoogleSignIn 7 and later archive it.
    static func user() -> UserPart { UserPart([("profileData", self.profile), ("authState", self.authState())]) }

    /// A user as GoogleSignIn 6 archives it.
    static func olderUser() -> UserPart {
        UserPart([
            ("profileData", self.profile), ("authentication", AuthenticationPart([("authState", self.authState())])),
        ])
    }
}
