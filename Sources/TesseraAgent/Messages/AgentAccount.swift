// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraJSON
public import TesseraOAuth

/// An account as the agent tells of it: never a token.
public struct AgentAccount: Sendable, Hashable {
    /// Whose it is.
    public let account: Account
    /// How a person calls it: the name given at sign-in, the email address, the full name or the subject.
    public let name: String
    /// The email address, where it is known.
    public let email: String?
    /// What was granted.
    public let grantedScopes: [Scope]
    /// Where its tokens may be sent.
    public let authorizedOrigins: [OriginPattern]
    /// How its tokens are presented; the agent gives those of `bearer` only.
    public let tokenType: TokenType
    /// Whether it is signed in; a person has to sign in again else.
    public let isSignedIn: Bool

    /// What a record says.
    init(_ record: SessionRecord) {
        self.account = record.account
        self.name = record.identity.displayName ?? record.account.subject
        self.email = record.identity.email
        self.grantedScopes = record.grant.granted
        self.authorizedOrigins = record.authorizedOrigins
        self.tokenType = record.isSenderConstrained ? .dpop : record.tokens?.tokenType ?? .bearer
        self.isSignedIn = record.tokens != nil
    }

    /// The name that only this account has, for ``AgentTokenRequest/account``.
    public var fullName: String { "\(self.account.subject)@\(self.account.clientID)@\(self.account.issuer)" }
}

extension SessionRecord {
    /// Whether its tokens are bound to a key, which stays with the session.
    var isSenderConstrained: Bool { self.dpopKey != nil || self.tokens?.tokenType == .dpop }
}

extension AgentAccount {
    /// Reads the object of an answer.
    init(_ value: JSONValue?) throws(AgentError) {
        guard let value, let issuer = value["issuer"]?.string, let clientID = value["client_id"]?.string,
            let subject = value["subject"]?.string, let name = value["name"]?.string
        else { throw AgentError(.noAnswer, detail: "the answer names no account") }
        self.account = Account(issuer: issuer, clientID: clientID, subject: subject)
        self.name = name
        self.email = value["email"]?.string
        self.grantedScopes = AgentMessage.scopes(value["scope"]?.string)
        // An origin that this version cannot read gets no token.
        self.authorizedOrigins = (value["authorized_origins"]?.elements.map(Array.init) ?? [])
            .compactMap { $0.string.flatMap { try? OriginPattern($0) } }
        self.tokenType = value["token_type"]?.string.flatMap(TokenType.init(rawValue:)) ?? .notApplicable
        self.isSignedIn = value["signed_in"]?.bool ?? false
    }

    /// The object of an answer.
    var json: JSONNode {
        [
            "name": .string(self.name),
            "email": self.email.map { .string($0) } ?? .null,
            "issuer": .string(self.account.issuer),
            "client_id": .string(self.account.clientID),
            "subject": .string(self.account.subject),
            "scope": AgentMessage.text(self.grantedScopes),
            "authorized_origins": .array(self.authorizedOrigins.map { .string($0.description) }),
            "token_type": .string(self.tokenType.rawValue),
            "signed_in": .bool(self.isSignedIn),
        ]
    }
}
