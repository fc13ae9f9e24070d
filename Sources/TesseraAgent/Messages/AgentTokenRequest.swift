// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
public import TesseraOAuth

/// What a program asks of the agent: a token for an account.
public struct AgentTokenRequest: Sendable, Hashable {
    /// Whose: a name, an email address or a subject, as `--account` of the command takes it; nil for the account that is
    /// meant where nobody names one.
    public var account: String?
    /// What the token has to be good for; each must have been granted.
    public var scopes: [Scope]
    /// Whether the token shall be good for ``scopes`` alone, where the provider can narrow it (RFC 6749, section 6); that
    /// costs a request to the provider for each choice of scopes and lifetime of a token.
    public var isNarrow: Bool
    /// How long the token has to be valid at least, in whole seconds.
    public var minimumValidity: Int64?
    /// A token of the agent's that an API refused with 401: the agent renews it, unless it has a newer one.
    public var refusedToken: Secret?

    /// A request.
    public init(
        account: String? = nil,
        scopes: [Scope] = [],
        isNarrow: Bool = false,
        minimumValidity: Int64? = nil,
        refusedToken: Secret? = nil
    ) {
        self.account = account
        self.scopes = scopes
        self.isNarrow = isNarrow
        self.minimumValidity = minimumValidity
        self.refusedToken = refusedToken
    }
}

extension AgentTokenRequest {
    /// The longest validity that can be asked for: a year.
    private static let longestValidity: Int64 = 31_622_400

    /// Reads the body of a request; an empty one asks for nothing special, and members that are not known say nothing.
    init(_ body: [UInt8]) throws {
        self.init()
        guard !body.isEmpty else { return }
        guard let value = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 8)), value.kind == .object
        else {
            throw AgentError(.invalidRequest, detail: "the body is no JSON object")
        }
        self.account = try Self.text("account", in: value)
        self.refusedToken = try Self.text("refused_token", in: value).map(Secret.init)
        self.scopes = AgentMessage.scopes(try Self.text("scope", in: value))
        guard self.scopes.allSatisfy({ ScopeList.isScopeToken($0.rawValue) }) else {
            throw AgentError(.invalidRequest, detail: "scope has a character that no scope has")
        }
        if let narrow = value["narrow"], !narrow.isNull {
            guard let isNarrow = narrow.bool else {
                throw AgentError(.invalidRequest, detail: "narrow is neither true nor false")
            }
            guard !isNarrow || !self.scopes.isEmpty else {
                throw AgentError(.invalidRequest, detail: "narrow without scope")
            }
            self.isNarrow = isNarrow
        }
        if let validity = value["min_validity"], !validity.isNull {
            guard let seconds = try? validity.integer(Int64.self), (0...Self.longestValidity).contains(seconds) else {
                throw AgentError(.invalidRequest, detail: "min_validity is no number of seconds")
            }
            self.minimumValidity = seconds
        }
    }

    private static func text(_ name: String, in value: JSONValue) throws -> String? {
        guard let member = value[name], !member.isNull else { return nil }
        guard let text = member.string else { throw AgentError(.invalidRequest, detail: "\(name) is no text") }
        return text
    }

    /// The body.
    var json: JSONNode {
        var members: [JSONMember] = []
        if let account { members.append(JSONMember(name: "account", value: .string(account))) }
        if !self.scopes.isEmpty { members.append(JSONMember(name: "scope", value: AgentMessage.text(self.scopes))) }
        if self.isNarrow { members.append(JSONMember(name: "narrow", value: true)) }
        if let minimumValidity {
            members.append(JSONMember(name: "min_validity", value: .integer(minimumValidity)))
        }
        if let refusedToken {
            members.append(JSONMember(name: "refused_token", value: refusedToken.withUnredacted { .string($0) }))
        }
        return .object(members)
    }
}

/// A token that the agent gave.
public struct AgentToken: Sendable, Hashable {
    /// The access token.
    public let accessToken: Secret
    /// How many seconds it is valid from now on, nil where the provider does not say.
    public let expiresIn: Int64?
    /// What it is good for: every scope of the grant, unless the provider narrowed it.
    public let scopes: [Scope]
    /// Whose it is.
    public let account: AgentAccount
}

extension AgentToken {
    /// Reads the object of an answer.
    init(_ value: JSONValue) throws {
        guard let token = value["access_token"]?.string, !token.isEmpty,
            value["token_type"]?.string?.lowercased() == "bearer"
        else { throw AgentError(.noAnswer, detail: "the answer holds no bearer token") }
        self.init(
            accessToken: Secret(token),
            expiresIn: value["expires_in"].flatMap { try? $0.integer(Int64.self) },
            scopes: AgentMessage.scopes(value["scope"]?.string),
            account: try AgentAccount(value["account"])
        )
    }

    /// The object of an answer, with the token in the clear.
    var json: JSONNode {
        var members = [
            JSONMember(name: "access_token", value: self.accessToken.withUnredacted { .string($0) }),
            JSONMember(name: "token_type", value: .string(TokenType.bearer.rawValue)),
        ]
        if let expiresIn { members.append(JSONMember(name: "expires_in", value: .integer(expiresIn))) }
        members.append(JSONMember(name: "scope", value: AgentMessage.text(self.scopes)))
        members.append(JSONMember(name: "account", value: self.account.json))
        return .object(members)
    }
}
