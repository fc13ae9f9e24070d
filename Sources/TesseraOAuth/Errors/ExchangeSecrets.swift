// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

/// The secrets in one exchange with a server, which are removed from its errors.
///
/// A server can repeat a secret from the request or the response in its error text. Secrets from other exchanges are
/// not removed.
package struct ExchangeSecrets: Sendable {
    /// The secrets, longest first, so that a secret that begins with another one is removed completely.
    private let secrets: [Secret]

    /// Creates a collection of secrets, ignoring nil.
    package init(_ secrets: [Secret?]) {
        self.secrets = Set(secrets.compactMap { $0 }).sorted { $0.length > $1.length }
    }

    /// Creates a collection of the secrets in a request, the client's credentials and the response.
    init(of client: OAuthClient, _ message: OAuthMessage, response: [UInt8]) {
        var secrets = [client.clientSecret] + message.credentials
        if let form = try? FormParameters(decoding: String(decoding: message.body ?? [], as: UTF8.self)) {
            secrets += form.secrets
        }
        self.init(secrets + Self.members(message.body ?? []) + Self.members(response))
    }

    /// Returns the error without the secrets.
    ///
    /// An error from another library is returned unchanged.
    package func removed(from error: any Error) -> any Error {
        switch error {
        case let error as OAuthError: error.without(self)
        case let error as BearerChallengeError: error.without(self)
        case let error as ProtocolViolationError: error.without(self)
        default: error
        }
    }

    /// Returns a server's text without the secrets, truncated to 1,000 code points before the search.
    package func removed(from text: String) -> String { self.secrets.reduce(Self.cut(text)) { $1.removed(from: $0) } }

    /// Returns a name from a server, such as an error code, without the secrets and with the same limit.
    func removed(fromName name: String) -> String { self.secrets.reduce(Self.cut(name)) { $1.removed(fromName: $0) } }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= 1_000 ? text : String(scalars.prefix(1_000)) + "…"
    }

    /// The names of secret members in JSON requests and responses.
    private static let memberNames = [
        "access_token", "refresh_token", "id_token", "device_code", "auth_req_id", "request_uri", "client_secret",
        "registration_access_token", "software_statement", "code", "server_code",
    ]

    /// Returns the values of secret members, except for short values, which could match ordinary text.
    private static func members(_ body: [UInt8]) -> [Secret?] {
        guard let object = try? JSONValue(parsing: body) else { return [] }
        return Self.memberNames.compactMap { object[$0]?.string }.filter { $0.utf8.count >= 8 }.map { Secret($0) }
    }
}

extension OAuthMessage {
    /// The secrets in the header, such as credentials, a token or a proof.
    fileprivate var credentials: [Secret?] {
        let fields = self.request.headerFields
        let authorization = fields[.authorization]?.split(separator: " ").last.map(String.init)
        return [authorization, fields[.dpop]].map { $0.map { Secret($0) } }
    }
}

extension FormParameters {
    /// The values that errors must not contain.
    ///
    /// All parameters are included except those that are known to be public, because an extension can define secret
    /// parameters. A short value is included only if the parameter is known to be secret.
    var secrets: [Secret?] {
        self.parameters
            .filter {
                Self.secretNames.contains($0.name)
                    || ($0.value.utf8.count >= 8 && !Self.publicNames.contains($0.name))
            }
            .map { Secret($0.value) }
    }

    private static let secretNames: Set<String> = [
        "code", "code_verifier", "refresh_token", "token", "assertion", "subject_token", "actor_token", "device_code",
        "auth_req_id", "login_hint_token", "id_token_hint", "user_code", "state", "nonce", "request",
    ]

    private static let publicNames: Set<String> = [
        "acr_values", "actor_token_type", "audience", "authorization_details", "binding_message", "claims",
        "client_assertion_type", "client_id", "code_challenge", "code_challenge_method", "display", "dpop_jkt", "error",
        "error_description", "error_uri", "grant_type", "iss", "login_hint", "logout_hint", "max_age",
        "post_logout_redirect_uri", "prompt", "redirect_uri", "requested_expiry", "requested_token_type", "resource",
        "response_mode", "response_type", "scope", "subject_token_type", "token_type", "token_type_hint", "ui_locales",
    ]
}

extension ProtocolViolationError {
    /// Returns the violation with the secrets removed from the received value.
    fileprivate func without(_ secrets: ExchangeSecrets) -> ProtocolViolationError {
        ProtocolViolationError(
            self.rule,
            expected: self.expected,
            actual: self.actual.map { secrets.removed(from: $0) },
            section: self.section
        )
    }
}
