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

/// The file in which Google's tools for Python, Go, Node.js and the shell keep who signed in.
///
/// There are two of a kind, which google-auth reads by one function: `authorized_user`, as gcloud writes its application
/// default credentials, and `token.json`, as `Credentials.to_json()` of google-auth writes it, with the newest access token.
///
/// It holds a refresh token in the clear, and is as secret as that. Members that are not known here stay, in their places,
/// when the file is written again.
///
/// - SeeAlso: [How application default credentials work](https://cloud.google.com/docs/authentication/application-default-credentials)
public struct AuthorizedUserFile: Sendable, Hashable {
    /// Which of the two.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// With `"type": "authorized_user"`; application default credentials.
        case authorizedUser = "authorized_user"
        /// Without a type: google-auth's `to_json()`, called `token.json` by Google's examples.
        case token
    }

    /// Which of the two.
    public var format: Format
    /// `client_id`.
    public var clientID: String
    /// `client_secret`; nil where it is absent or empty.
    public var clientSecret: Secret?
    /// `refresh_token`; nil where there is none: such a grant ends with its access token.
    public var refreshToken: Secret?
    /// `token`: the newest access token.
    public var accessToken: Secret?
    /// `expiry`: when that ends, to the second.
    public var expiry: Date?
    /// `scopes`; nil where the file does not say.
    public var scopes: [Scope]?
    /// `token_uri`, as the file has it: to be compared with a provider's, and never to be sent anything by itself.
    public var tokenURI: String?
    /// `quota_project_id`: the project that calls are billed to.
    public var quotaProjectID: String?
    /// `universe_domain`; nil means `googleapis.com`.
    public var universeDomain: String?
    /// `account`: the email address, where the tool kept it; nil where it is absent or empty.
    public var account: String?
    /// `rapt_token`: the proof of a re-authentication that a Workspace demands.
    public var raptToken: Secret?
    /// The file as it was read, for what is not known here.
    var document: [JSONMember]

    /// A file that is to be written.
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
    /// Longer than any such file is.
    static let maximumLength = 1 << 16

    /// Reads the file's bytes, strictly: two members of one name, another type than the tools write, an empty identifier
    /// are errors.
    ///
    /// - Throws: ``MigrationError`` `unknownFormat` for what is no JSON object, `notAGrant` for another kind of Google's
    ///   credentials, `damaged` for anything else; it names a member and never its value.
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
            throw MigrationError(.notAGrant, detail: "its type is \(UntrustedText.printable(type, limit: 40))")
        }
        return .authorizedUser
    }

    /// A list, or one text with spaces: google-auth reads both.
    private static func scopes(_ fields: JSONFields) throws -> [Scope]? {
        guard let value = fields.present("scopes") else { return nil }
        if let text = value.string { return ScopeList.scopes(text) }
        return try fields.strings("scopes")?.map { Scope($0) }
    }

    /// `2026-05-01T12:00:00.123456Z`; parts of a second are left out, as google-auth leaves them out.
    private static func expiry(_ fields: JSONFields) throws -> Date? {
        guard let text = try fields.filled("expiry") else { return nil }
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        let rest = text[whole.endIndex...]
        guard rest.allSatisfy({ $0 == "." || $0 == "Z" || ("0"..."9").contains($0) }),
            let date = try? Date("\(whole)Z", strategy: .iso8601),
            // Foundation reads `20260-5-01`, too.
            date.formatted(.iso8601) == "\(whole)Z"
        else {
            throw fields.violation("expiry to be a time such as 2026-05-01T12:00:00Z", nil)
        }
        return date
    }
}

extension JSONFields {
    /// A text that is there and not empty; gcloud writes empty ones for what it does not know.
    fileprivate func filled(_ name: String) throws(ProtocolViolationError) -> String? {
        let text = try self.string(name)
        return text?.isEmpty == false ? text : nil
    }
}

extension ProtocolViolationError.Rule {
    fileprivate static let authorizedUserFile = Self(rawValue: "migration.authorizedUserFile")
}

extension AuthorizedUserFile {
    /// The file of a session, for the other tools of the person who signed in: two owners of one refresh token.
    ///
    /// - Parameters:
    ///   - record: the session.
    ///   - format: which of the two files; ``Format/token`` has the access token too.
    /// - Throws: ``MigrationError`` where the other owner would end the session or could do nothing with it: `ended`,
    ///   `noRefreshToken`, `bound`, `rotating`, `interrupted`, `clientUnsupported`.
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
        // An authorized_user file without it means Google.
        if format == .token || !isGoogle { self.tokenURI = record.provider.metadata?.tokenEndpoint?.url }
        guard format == .token else { return }
        self.scopes = record.grant.granted
        self.accessToken = tokens.accessToken
        // Without an end the other tool would never renew it: one that is over makes it do so at once.
        self.expiry = tokens.expiresAt ?? tokens.obtainedAt
    }

    /// The file's text, its secrets in the clear: for a file that nobody else can read.
    ///
    /// Members keep the order in which they were read; new ones follow.
    public func encoded() -> [UInt8] {
        var members = self.document.compactMap { member -> JSONMember? in
            guard Self.names.contains(member.name) else { return member }
            if let value = self.member(member.name) { return JSONMember(name: member.name, value: value) }
            // gcloud writes an empty text for what it does not know.
            return member.value.isNull || member.value.stringValue == "" ? member : nil
        }
        let present = Set(members.map(\.name))
        for name in Self.names where !present.contains(name) {
            if let value = self.member(name) { members.append(JSONMember(name: name, value: value)) }
        }
        return JSONNode.object(members).serialized(pretty: true) + [0x0A]
    }

    /// What is known here, in the order in which google-auth writes it.
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
