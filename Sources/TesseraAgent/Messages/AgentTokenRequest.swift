// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
public import TesseraOAuth

/// A program's request for an access token.
public struct AgentTokenRequest: Sendable, Hashable {
    /// The account's name, email address or subject, in the form of the `--account` option, or nil for the default
    /// account.
    public var account: String?
    /// The scopes that the token must have, which the user must have granted.
    public var scopes: [Scope]
    /// Whether the token should have only these ``scopes``, if the provider supports narrowing (RFC 6749, section 6).
    ///
    /// Each set of scopes requires a separate request to the provider for each token lifetime.
    public var isNarrow: Bool
    /// The minimum time in seconds for which the token must be valid.
    public var minimumValidity: Int64?
    /// A token from the agent that an API rejected with status 401.
    ///
    /// The agent refreshes the token unless it already has a newer one.
    public var refusedToken: Secret?

    /// Creates a token request.
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
    /// The maximum for ``minimumValidity``, a leap year in seconds.
    private static let longestValidity: Int64 = 31_622_400

    /// Creates a request from a body, which can be empty and can contain unknown members.
    init(_ body: [UInt8]) throws {
        self.init()
        guard !body.isEmpty else { return }
        guard let value = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 8)), value.kind == .object
        else {
            throw AgentError(.invalidRequest, detail: "the body is not a JSON object")
        }
        self.account = try Self.text("account", in: value)
        self.refusedToken = try Self.text("refused_token", in: value).map(Secret.init)
        self.scopes = AgentMessage.scopes(try Self.text("scope", in: value))
        guard self.scopes.allSatisfy({ ScopeList.isScopeToken($0.rawValue) }) else {
            throw AgentError(.invalidRequest, detail: "scope contains a character that is not allowed")
        }
        if let narrow = value["narrow"], !narrow.isNull {
            guard let isNarrow = narrow.bool else {
                throw AgentError(.invalidRequest, detail: "narrow must be true or false")
            }
            guard !isNarrow || !self.scopes.isEmpty else {
                throw AgentError(.invalidRequest, detail: "narrow requires scope")
            }
            self.isNarrow = isNarrow
        }
        if let validity = value["min_validity"], !validity.isNull {
            guard let seconds = try? validity.integer(Int64.self), (0...Self.longestValidity).contains(seconds) else {
                throw AgentError(.invalidRequest, detail: "min_validity must be a number of seconds, at most a year")
            }
            self.minimumValidity = seconds
        }
    }

    private static func text(_ name: String, in value: JSONValue) throws -> String? {
        guard let member = value[name], !member.isNull else { return nil }
        guard let text = member.string else { throw AgentError(.invalidRequest, detail: "\(name) must be a string") }
        return text
    }

    /// The request's JSON body.
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

/// An access token from an agent.
public struct AgentToken: Sendable, Hashable {
    /// The access token, to be sent as a bearer token.
    public let accessToken: Secret
    /// The remaining lifetime in seconds, or nil if the provider does not report it.
    public let expiresIn: Int64?
    /// The token's scopes, which are all granted scopes unless the provider narrowed the token.
    public let scopes: [Scope]
    /// The account that the token belongs to.
    public let account: AgentAccount
}

extension AgentToken {
    /// Creates a token from a response.
    init(_ value: JSONValue) throws {
        guard let token = value["access_token"]?.string, !token.isEmpty,
            value["token_type"]?.string?.lowercased() == "bearer"
        else { throw AgentError(.noResponse, detail: "the response does not contain a bearer token") }
        self.init(
            accessToken: Secret(token),
            expiresIn: value["expires_in"].flatMap { try? $0.integer(Int64.self) },
            scopes: AgentMessage.scopes(value["scope"]?.string),
            account: try AgentAccount(value["account"])
        )
    }

    /// The JSON object for a response, which contains the token in plaintext.
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
