// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// The file in which Google's tools for Python, Go, Node.js and the shell store a user's credentials.
///
/// There are two formats: `authorized_user`, which gcloud writes as its application default credentials, and
/// `token.json`, which google-auth writes with `Credentials.to_json()` and which includes the access token. google-auth
/// reads both.
///
/// The file is a secret, because it contains a refresh token in plaintext. Unknown members are retained in their
/// positions when the file is written again.
///
/// - SeeAlso: [How application default credentials work](https://cloud.google.com/docs/authentication/application-default-credentials)
public struct AuthorizedUserFile: Sendable, Hashable {
    /// The format of the file.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// A file with `"type": "authorized_user"`, as in application default credentials.
        case authorizedUser = "authorized_user"
        /// A file without a type, as written by google-auth's `to_json()` and named `token.json` in Google's examples.
        case token
    }

    /// The file's format.
    public var format: Format
    /// The client ID (`client_id`).
    public var clientID: String
    /// The client secret (`client_secret`), or nil if it is missing or empty.
    public var clientSecret: Secret?
    /// The refresh token (`refresh_token`), or nil if the access ends when the access token expires.
    public var refreshToken: Secret?
    /// The current access token (`token`).
    public var accessToken: Secret?
    /// The time at which the access token expires (`expiry`), in whole seconds.
    public var expiry: Date?
    /// The granted scopes (`scopes`), or nil if the file does not contain them.
    public var scopes: [Scope]?
    /// The token endpoint (`token_uri`), which is only compared with the provider's.
    public var tokenURI: String?
    /// The project to which API calls are billed (`quota_project_id`).
    public var quotaProjectID: String?
    /// The universe domain (`universe_domain`), or nil for `googleapis.com`.
    public var universeDomain: String?
    /// The email address (`account`), or nil if it is missing or empty.
    public var account: String?
    /// The proof of reauthentication that a Workspace organization requires (`rapt_token`).
    public var raptToken: Secret?
    /// The members of the file that was read, including unknown ones.
    var document: [JSONMember]

    /// Creates a new file.
    public init(
        _ format: Format,
        clientID: String,
        clientSecret: Secret?,
        refreshToken: Secret?,
        scopes: [Scope]? = nil
    ) {
        self.format = format
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.document = []
    }
}

extension AuthorizedUserFile {
    /// The maximum length of a file in bytes.
    static let maximumLength = 1 << 16

    /// Reads the contents of a file strictly.
    ///
    /// Duplicate members, members of unexpected types, and an empty client ID are errors.
    ///
    /// - Throws: ``MigrationError`` with the code `unknownFormat` if the bytes are not a JSON object, `noCredentials`
    ///   if the file contains another kind of Google credentials, or `damaged` otherwise. Errors name the member, but
    ///   do not include its value.
    public init(parsing bytes: [UInt8]) throws(MigrationError) {
        guard bytes.count <= Self.maximumLength else {
            throw MigrationError(.unknownFormat, detail: "more than \(Self.maximumLength) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(maximumDepth: 16, maximumBytes: Self.maximumLength)
            )
        } catch let error where error.code == .duplicateMember {
            throw MigrationError(.damaged, detail: error.description)
        } catch {
            throw MigrationError(.unknownFormat, detail: error.description)
        }
        try self.init(value)
    }

    init(_ value: JSONValue) throws(MigrationError) {
        do {
            let fields = try JSONFields(
                value,
                rule: .authorizedUserFile,
                section: "google-auth's format of credentials",
                subject: "the file"
            )
            self.init(
                try Self.format(fields),
                clientID: try fields.requiredString("client_id"),
                clientSecret: try fields.filled("client_secret").map { Secret($0) },
                refreshToken: try fields.filled("refresh_token").map { Secret($0) },
                scopes: try Self.scopes(fields)
            )
            self.accessToken = try fields.filled("token").map { Secret($0) }
            self.expiry = try Self.expiry(fields)
            self.tokenURI = try fields.filled("token_uri")
            self.quotaProjectID = try fields.filled("quota_project_id")
            self.universeDomain = try fields.filled("universe_domain")
            self.account = try fields.filled("account")
            self.raptToken = try fields.filled("rapt_token").map { Secret($0) }
            self.document =
                fields.object.members.map { $0.map { JSONMember(name: $0.name, value: .parsed($0.value)) } } ?? []
        } catch let error as MigrationError {
            throw error
        } catch let error as ProtocolViolationError {
            throw MigrationError(.damaged, detail: "expected \(error.expected)")
        } catch {
            throw MigrationError(.damaged)
        }
    }

    private static func format(_ fields: JSONFields) throws -> Format {
        guard let type = try fields.string("type") else { return .token }
        guard type == Format.authorizedUser.rawValue else {
            throw MigrationError(.noCredentials, detail: "the type is \(UntrustedText.printable(type, limit: 40))")
        }
        return .authorizedUser
    }

    /// Reads the scopes from an array or a space-separated string, as google-auth does.
    private static func scopes(_ fields: JSONFields) throws -> [Scope]? {
        guard let value = fields.present("scopes") else { return nil }
        if let text = value.string { return ScopeList.scopes(text) }
        return try fields.strings("scopes")?.map { Scope($0) }
    }

    /// Reads a time such as `2026-05-01T12:00:00.123456Z`, ignoring fractional seconds as google-auth does.
    private static func expiry(_ fields: JSONFields) throws -> Date? {
        guard let text = try fields.filled("expiry") else { return nil }
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        let rest = text[whole.endIndex...]
        guard rest.allSatisfy({ $0 == "." || $0 == "Z" || ("0"..."9").contains($0) }),
            let date = try? Date("\(whole)Z", strategy: .iso8601),
            // Foundation also accepts `20260-5-01`.
            date.formatted(.iso8601) == "\(whole)Z"
        else {
            throw fields.violation("expiry to be a time such as 2026-05-01T12:00:00Z", nil)
        }
        return date
    }
}

extension JSONFields {
    /// Returns a member's string, or nil if it is missing or empty.
    ///
    /// gcloud writes an empty string for unknown values.
    fileprivate func filled(_ name: String) throws(ProtocolViolationError) -> String? {
        let text = try self.string(name)
        return text?.isEmpty == false ? text : nil
    }
}

extension ProtocolViolationError.Rule {
    fileprivate static let authorizedUserFile = Self(rawValue: "migration.authorizedUserFile")
}

extension AuthorizedUserFile {
    /// Creates a file from a session, for use by the user's other tools.
    ///
    /// The session and the other tool then share one refresh token.
    ///
    /// - Parameters:
    ///   - record: The session's record.
    ///   - format: The format of the file. ``Format/token`` includes the access token.
    /// - Throws: ``MigrationError`` with the code `ended`, `noRefreshToken`, `bound`, `rotating`, `interrupted` or
    ///   `clientUnsupported` if the other tool would end the session or could not use the file.
    public init(exporting record: SessionRecord, as format: Format) throws(MigrationError) {
        guard let tokens = record.tokens else { throw MigrationError(.ended, detail: record.history.endReason) }
        guard record.dpopKey == nil, tokens.tokenType == .bearer else { throw MigrationError(.bound) }
        guard let refreshToken = tokens.refreshToken else { throw MigrationError(.noRefreshToken) }
        guard record.history.refreshTokenReplacedAt == nil else { throw MigrationError(.rotating) }
        guard record.refreshMark == nil else { throw MigrationError(.interrupted) }
        let client = record.provider.client
        guard let clientSecret = client.clientSecret, client.assertionKey == nil, !client.certificateBoundAccessTokens,
            [nil, .clientSecretPost, .clientSecretBasic].contains(client.authentication)
        else {
            throw MigrationError(.clientUnsupported)
        }
        self.init(format, clientID: client.clientID, clientSecret: clientSecret, refreshToken: refreshToken)
        let isGoogle = record.provider.issuer.url == GoogleEndpoints.issuer
        self.account = record.identity.email
        self.universeDomain = isGoogle ? "googleapis.com" : nil
        // An authorized_user file without token_uri belongs to Google.
        if format == .token || !isGoogle { self.tokenURI = record.provider.metadata?.tokenEndpoint?.url }
        guard format == .token else { return }
        self.scopes = record.grantedScopes.granted
        self.accessToken = tokens.accessToken
        // Without an expiry the other tool would never refresh the token. A past expiry causes an immediate refresh.
        self.expiry = tokens.expiresAt ?? tokens.obtainedAt
    }

    /// Returns the contents of the file with secrets in plaintext.
    ///
    /// Write them only to a private file. Members retain the order in which they were read, and new members follow.
    public func encoded() -> [UInt8] {
        var members = self.document.compactMap { member -> JSONMember? in
            guard Self.names.contains(member.name) else { return member }
            if let value = self.member(member.name) { return JSONMember(name: member.name, value: value) }
            // gcloud writes an empty string for an unknown value.
            return member.value.isNull || member.value.stringValue == "" ? member : nil
        }
        let present = Set(members.map(\.name))
        for name in Self.names where !present.contains(name) {
            if let value = self.member(name) { members.append(JSONMember(name: name, value: value)) }
        }
        return JSONNode.object(members).serialized(pretty: true) + [0x0A]
    }

    /// The names of the known members, in the order in which google-auth writes them.
    private static let names = [
        "type", "token", "refresh_token", "token_uri", "client_id", "client_secret", "scopes", "quota_project_id",
        "rapt_token", "universe_domain", "account", "expiry",
    ]

    private func member(_ name: String) -> JSONNode? {
        switch name {
        case "type": self.format == .token ? nil : .string(self.format.rawValue)
        case "token": Self.secret(self.accessToken)
        case "refresh_token": Self.secret(self.refreshToken)
        case "token_uri": self.tokenURI.map { .string($0) }
        case "client_id": .string(self.clientID)
        case "client_secret": Self.secret(self.clientSecret)
        case "scopes": self.scopes.map { .array($0.map { .string($0.rawValue) }) }
        case "quota_project_id": self.quotaProjectID.map { .string($0) }
        case "rapt_token": Self.secret(self.raptToken)
        case "universe_domain": self.universeDomain.map { .string($0) }
        case "account": self.account.map { .string($0) }
        case "expiry": self.expiry.map { .string($0.formatted(.iso8601)) }
        default: nil
        }
    }

    private static func secret(_ secret: Secret?) -> JSONNode? { secret.map { $0.withUnredacted { .string($0) } } }
}
