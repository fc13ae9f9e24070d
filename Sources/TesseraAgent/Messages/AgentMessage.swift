// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraJSON
internal import TesseraOAuth

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
    static func object(_ answer: LocalAnswer) throws(AgentError) -> JSONValue {
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
