// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

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
