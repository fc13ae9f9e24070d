// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// A description of a session for the commands' output, without tokens.
struct AccountReport: Sendable {
    /// Whether the user is signed in.
    enum State: String, Sendable {
        case signedIn
        case needsSignIn
        case unreadable
    }

    let record: SessionRecord
    /// The name to use with `--account`.
    let name: String
    let now: Date

    /// Describes a session.
    ///
    /// - Parameters:
    ///   - record: The session.
    ///   - name: The account's unique name, or nil to use a name that other accounts might share.
    ///   - now: The current time.
    init(_ record: SessionRecord, name: String? = nil, now: Date = WallClock.now) {
        self.record = record
        self.name = name ?? SessionCatalog.Item(account: record.account, record: .success(record)).name
        self.now = now
    }

    /// Whether the user is signed in, which is not the case if the session has ended or its token expired and cannot be
    /// refreshed.
    var state: State {
        guard let tokens = self.record.tokens else { return .needsSignIn }
        if tokens.refreshToken != nil { return .signedIn }
        return tokens.expiresAt.map { $0 <= self.now } ?? false ? .needsSignIn : .signedIn
    }

    /// The user's name and label, such as `Ada Marlow <ada@example.com>, called “work”`.
    var account: String {
        let identity = self.record.identity
        let person =
            switch (identity.name, identity.email) {
            case (let name?, let email?): "\(name) <\(email)>"
            case (let name?, nil): name
            case (nil, let email?): email
            case (nil, nil): self.record.account.subject
            }
        return identity.label.map { "\(person), called “\($0)”" } ?? person
    }

    var provider: String {
        let provider = self.record.provider
        return provider.name == provider.issuer.url ? provider.name : "\(provider.name) (\(provider.issuer.url))"
    }

    var granted: [String] { self.record.grantedScopes.granted.map(\.rawValue) }
    var missing: [String] { self.record.grantedScopes.missing.map(\.rawValue) }

    /// A description of the access token's expiration.
    var token: String {
        guard let tokens = self.record.tokens else {
            return "none: the session ended (\(self.record.history.endReason ?? "unknown reason"))"
        }
        let renewal = tokens.refreshToken == nil ? "cannot be refreshed" : "refreshed when needed"
        guard let end = tokens.expiresAt else { return "valid, expiration unknown; \(renewal)" }
        let verb = end > self.now ? "expires" : "expired"
        return "\(verb) \(TimeText.relative(end, to: self.now)); \(renewal)"
    }

    /// The JSON members for an account that are common to all commands.
    var members: [JSONMember] {
        let identity = self.record.identity
        return [
            JSONMember(name: "account", value: .string(self.name)),
            JSONMember(name: "label", value: Self.text(identity.label)),
            JSONMember(name: "email", value: Self.text(identity.email)),
            JSONMember(name: "name", value: Self.text(identity.name)),
            JSONMember(name: "subject", value: .string(self.record.account.subject)),
            JSONMember(name: "provider", value: .string(self.record.provider.name)),
            JSONMember(name: "issuer", value: .string(self.record.account.issuer)),
            JSONMember(name: "clientID", value: .string(self.record.account.clientID)),
            JSONMember(name: "state", value: .string(self.state.rawValue)),
            JSONMember(name: "granted", value: .array(self.granted.map { .string($0) })),
            JSONMember(name: "missing", value: .array(self.missing.map { .string($0) })),
            JSONMember(name: "accessTokenExpiresAt", value: TimeText.json(self.record.tokens?.expiresAt)),
            JSONMember(name: "canRenew", value: .bool(self.record.tokens?.refreshToken != nil)),
            JSONMember(name: "consentedAt", value: TimeText.json(self.record.history.consentedAt)),
        ]
    }

    static func text(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }
}

extension OutputOptions {
    /// Prints the user, the granted scopes and the store of the session.
    func report(_ session: OAuthSession, in catalog: SessionCatalog, title: String, _ more: [JSONMember] = []) {
        let report = AccountReport(session.record)
        var table = FieldTable()
        table.add("Account", report.account)
        table.add("Provider", report.provider)
        table.add("Granted", report.granted)
        table.add("Missing", report.missing.map { "\($0)  (not granted)" })
        table.add("Token", report.token)
        table.add("Stored in", catalog.uri.description)
        let store = JSONMember(name: "store", value: .string(catalog.uri.description))
        self.result(.object(report.members + [store] + more), "\(title)\n\n\(table.text)")
    }
}
