// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
public import Tessera
internal import TesseraJSON
public import TesseraOAuth

/// Definitions that the client's and the agent's messages share.
enum AgentMessage {
    /// The protocol version, which is the first component of every path.
    static let version: Int64 = 1

    /// The request paths.
    static let token = "/v1/token"
    static let accounts = "/v1/accounts"
    static let status = "/v1/status"
    static let stop = "/v1/stop"

    /// Returns scopes as a space-separated list.
    static func text(_ scopes: [Scope]) -> JSONNode { .string(scopes.map(\.rawValue).joined(separator: " ")) }

    /// Returns the scopes in a space-separated list.
    static func scopes(_ text: String?) -> [Scope] { ScopeList.scopes(text ?? "") }

    /// Returns a JSON response that must not be cached.
    static func response(_ node: JSONNode, status: Int = 200) -> LoopbackResponse {
        LoopbackResponse(
            status: status,
            headers: [
                ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ],
            body: node.serialized() + [0x0A]
        )
    }

    /// Returns an OAuth error response (RFC 6749, section 5.2).
    static func response(_ error: AgentError) -> LoopbackResponse {
        var members = [
            JSONMember(name: "error", value: .string(error.code.description)),
            JSONMember(name: "error_description", value: .string(error.detail ?? error.code.sentence)),
        ]
        if !error.scopes.isEmpty { members.append(JSONMember(name: "scope", value: Self.text(error.scopes))) }
        return Self.response(.object(members), status: error.code.status)
    }

    /// Returns the JSON object in a response.
    ///
    /// - Throws: The ``AgentError`` in the response, or one with the code `noResponse` if the response is not from an
    ///   agent.
    static func object(_ response: LocalResponse) throws -> JSONValue {
        guard let value = try? JSONValue(parsing: response.body), value.kind == .object else {
            throw AgentError(.noResponse, detail: "status \(response.status)")
        }
        guard response.status == 200 else {
            throw AgentError(
                .named(value["error"]?.string),
                detail: value["error_description"]?.string,
                scopes: Self.scopes(value["scope"]?.string)
            )
        }
        return value
    }
}

/// An account as reported by an agent, without its tokens.
public struct AgentAccount: Sendable, Hashable {
    /// The issuer, client and subject that identify the account.
    public let account: Account
    /// The display name: the name chosen at sign-in, the email address, the full name or the subject.
    public let name: String
    /// The email address, or nil if it is unknown.
    public let email: String?
    /// The scopes that the user granted.
    public let grantedScopes: [Scope]
    /// The origins that may receive the account's tokens.
    public let authorizedOrigins: [OriginPattern]
    /// The token type.
    ///
    /// The agent provides only `bearer` tokens.
    public let tokenType: TokenType
    /// Whether the account is signed in.
    ///
    /// If not, the user must sign in again.
    public let isSignedIn: Bool

    /// Creates an account from a session record.
    init(_ record: SessionRecord) {
        self.account = record.account
        self.name = record.identity.displayName ?? record.account.subject
        self.email = record.identity.email
        self.grantedScopes = record.grantedScopes.granted
        self.authorizedOrigins = record.authorizedOrigins
        self.tokenType = record.isSenderConstrained ? .dpop : record.tokens?.tokenType ?? .bearer
        self.isSignedIn = record.tokens != nil
    }

    /// The account's unique name, for ``AgentTokenRequest/account``.
    public var fullName: String { "\(self.account.subject)@\(self.account.clientID)@\(self.account.issuer)" }
}

extension SessionRecord {
    /// Whether the session's tokens are bound to its key.
    var isSenderConstrained: Bool { self.dpopKey != nil || self.tokens?.tokenType == .dpop }
}

extension AgentAccount {
    /// Creates an account from a response.
    init(_ value: JSONValue?) throws {
        guard let value, let issuer = value["issuer"]?.string, let clientID = value["client_id"]?.string,
            let subject = value["subject"]?.string, let name = value["name"]?.string
        else { throw AgentError(.noResponse, detail: "the response does not contain an account") }
        self.account = Account(issuer: issuer, clientID: clientID, subject: subject)
        self.name = name
        self.email = value["email"]?.string
        self.grantedScopes = AgentMessage.scopes(value["scope"]?.string)
        // Origins that this version does not understand are skipped and do not receive tokens.
        self.authorizedOrigins = (value["authorized_origins"]?.elements.map(Array.init) ?? [])
            .compactMap { $0.string.flatMap { try? OriginPattern($0) } }
        self.tokenType = value["token_type"]?.string.flatMap(TokenType.init(rawValue:)) ?? .notApplicable
        self.isSignedIn = value["signed_in"]?.bool ?? false
    }

    /// The JSON object for a response.
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

/// An agent's status.
public struct AgentStatus: Sendable, Hashable {
    /// The agent's process ID.
    public let process: Int32
    /// The time since the agent started, in seconds.
    public let uptime: Int64
    /// The number of tokens that the agent has issued.
    public let grants: Int64
    /// The protection that applies to the agent's memory.
    public let memory: MemoryProtection
}

extension AgentStatus {
    /// Creates a status from a response.
    init(_ value: JSONValue) throws {
        guard let process = value["pid"].flatMap({ try? $0.integer(Int32.self) }),
            let uptime = value["uptime"].flatMap({ try? $0.integer(Int64.self) }),
            let grants = value["grants"].flatMap({ try? $0.integer(Int64.self) })
        else { throw AgentError(.noResponse, detail: "the response is not a status") }
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

    /// The JSON object for a response.
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
