// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
public import TesseraOAuth

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
    init(_ value: JSONValue) throws(AgentError) {
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
