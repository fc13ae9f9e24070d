// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
public import Tessera
internal import TesseraJSON
public import TesseraOAuth

/// What the messages of client and agent have in common.
enum AgentMessage {
    /// The version of the protocol, the first part of every path.
    static let version: Int64 = 1

    /// Paths.
    static let token = "/v1/token"
    static let accounts = "/v1/accounts"
    static let status = "/v1/status"
    static let stop = "/v1/stop"

    /// Scopes in one text, as OAuth has them.
    static func text(_ scopes: [Scope]) -> JSONNode { .string(scopes.map(\.rawValue).joined(separator: " ")) }

    /// The scopes of such a text.
    static func scopes(_ text: String?) -> [Scope] { ScopeList.scopes(text ?? "") }

    /// An answer with an object in it, which nobody may keep.
    static func answer(_ node: JSONNode, status: Int = 200) -> LoopbackResponse {
        LoopbackResponse(
            status: status,
            headers: [
                ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ],
            body: node.serialized() + [0x0A]
        )
    }

    /// An error in OAuth's form (RFC 6749, section 5.2).
    static func answer(_ error: AgentError) -> LoopbackResponse {
        var members = [
            JSONMember(name: "error", value: .string(error.code.description)),
            JSONMember(name: "error_description", value: .string(error.detail ?? error.code.sentence)),
        ]
        if !error.scopes.isEmpty { members.append(JSONMember(name: "scope", value: Self.text(error.scopes))) }
        return Self.answer(.object(members), status: error.code.status)
    }

    /// The object of an answer.
    ///
    /// - Throws: the error that the answer carries; `noAnswer` for what is no answer of an agent's.
    static func object(_ answer: LocalAnswer) throws -> JSONValue {
        guard let value = try? JSONValue(parsing: answer.body), value.kind == .object else {
            throw AgentError(.noAnswer, detail: "status \(answer.status)")
        }
        guard answer.status == 200 else {
            throw AgentError(
                .named(value["error"]?.string),
                detail: value["error_description"]?.string,
                scopes: Self.scopes(value["scope"]?.string)
            )
        }
        return value
    }
}

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
    init(_ value: JSONValue?) throws {
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

/// How an agent stands.
public struct AgentStatus: Sendable, Hashable {
    /// The number of its process.
    public let process: Int32
    /// How many seconds it has run.
    public let uptime: Int64
    /// How many tokens it has given.
    public let grants: Int64
    /// What keeps its memory from other programs and from the disk.
    public let memory: MemoryProtection
}

extension AgentStatus {
    /// Reads the object of an answer.
    init(_ value: JSONValue) throws {
        guard let process = value["pid"].flatMap({ try? $0.integer(Int32.self) }),
            let uptime = value["uptime"].flatMap({ try? $0.integer(Int64.self) }),
            let grants = value["grants"].flatMap({ try? $0.integer(Int64.self) })
        else { throw AgentError(.noAnswer, detail: "the answer is no status") }
        self.init(
            process: process,
            uptime: uptime,
            grants: grants,
            memory: MemoryProtection(
                refusesDumps: value["refuses_dumps"]?.bool ?? false,
                isLocked: value["memory_locked"]?.bool ?? false
            )
        )
    }

    /// The object of an answer.
    var json: JSONNode {
        [
            "version": .integer(AgentMessage.version),
            "pid": .integer(Int64(self.process)),
            "uptime": .integer(self.uptime),
            "grants": .integer(self.grants),
            "refuses_dumps": .bool(self.memory.refusesDumps),
            "memory_locked": .bool(self.memory.isLocked),
        ]
    }
}
