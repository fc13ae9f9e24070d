// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// A resource said no: the `Bearer` challenge of its 401 or 403.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3)
public struct BearerChallenge: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status, 401 or 403.
    public let status: Int
    /// `error`: `invalid_token`, `insufficient_scope`, `invalid_request`, or nothing.
    public let error: String?
    /// `error_description`: the server's own text.
    public let errorDescription: String?
    /// `scope`: what the resource would need.
    public let scope: [Scope]
    /// `realm`.
    public let realm: String?

    /// Reads the challenge of a response; nil where there is none.
    public init?(_ response: HTTPResponse) {
        let values = response.headerFields[values: .wwwAuthenticate]
        let challenges = values.flatMap { AuthenticationChallenge.parse($0) }
        guard let challenge = challenges.first(where: { $0.scheme.lowercased() == "bearer" }) else { return nil }
        self.status = Int(response.status.code)
        self.error = challenge.parameters["error"]
        self.errorDescription = challenge.parameters["error_description"]
        self.scope = challenge.parameters["scope"].map(ScopeList.scopes) ?? []
        self.realm = challenge.parameters["realm"]
    }

    /// Whether more scopes, not another token, would help.
    public var isInsufficientScope: Bool { self.error == "insufficient_scope" }
    /// Always true: a resource's refusal does not end a session.
    public var sessionSurvives: Bool { true }
    /// Never by itself.
    public var retryCanHelp: Bool { false }
    /// One line: what the resource said.
    public var description: String {
        let error = TextFromOutside.printable(self.error ?? "no reason given")
        let words = self.errorDescription.map { ": " + TextFromOutside.printable($0) } ?? ""
        return "The API refused the call (HTTP \(self.status), \(error))\(words)"
    }
    /// What to do about it.
    public var whatToDo: String {
        guard self.isInsufficientScope else { return "Sign in again if it stays so; the token may have been revoked." }
        let scopes = TextFromOutside.printable(self.scope.map(\.rawValue).joined(separator: " "))
        return "Ask the person for more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
    }
}
