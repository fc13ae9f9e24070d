// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

/// The secrets that one exchange carried, in either direction: no error about it shows them, whoever repeats them.
///
/// A server may repeat in its own words what it was sent, or what stands in the same answer. What it was given in another
/// exchange is not known here.
package struct CarriedSecrets: Sendable {
    /// The longest first: one that another begins with would leave the other's end behind.
    private let secrets: [Secret]

    /// These secrets; nil is none.
    package init(_ secrets: [Secret?]) {
        self.secrets = Set(secrets.compactMap { $0 }).sorted { $0.length > $1.length }
    }

    /// What a request proves itself by and asks with, and the secrets in its answer.
    init(of client: OAuthClient, _ message: OAuthMessage, answer: [UInt8]) {
        var secrets = [client.clientSecret] + message.credentials
        if let form = try? FormParameters(decoding: String(decoding: message.body ?? [], as: UTF8.self)) {
            secrets += form.secrets
        }
        self.init(secrets + Self.members(message.body ?? []) + Self.members(answer))
    }

    /// The error without the secrets; one that is none of this library's is passed on as it is.
    package func removed(from error: any Error) -> any Error {
        switch error {
        case let error as OAuthError: error.without(self)
        case let error as BearerChallengeError: error.without(self)
        case let error as ProtocolViolationError: error.without(self)
        default: error
        }
    }

    /// A server's text without the secrets, cut to 1,000 code points before each secret is searched for in it.
    package func removed(from text: String) -> String { self.secrets.reduce(Self.cut(text)) { $1.removed(from: $0) } }

    /// A server's name without the secrets, cut in the same way.
    func removed(fromName name: String) -> String { self.secrets.reduce(Self.cut(name)) { $1.removed(fromName: $0) } }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= 1_000 ? text : String(scalars.prefix(1_000)) + "…"
    }

    /// Members of a request or an answer in JSON that are secrets.
    private static let memberNames = [
        "access_token", "refresh_token", "id_token", "device_code", "auth_req_id", "request_uri", "client_secret",
        "registration_access_token", "software_statement", "code", "server_code",
    ]

    /// A short one is passed over: it would take texts apart that mean something.
    private static func members(_ body: [UInt8]) -> [Secret?] {
        guard let object = try? JSONValue(parsing: body) else { return [] }
        return Self.memberNames.compactMap { object[$0]?.string }.filter { $0.utf8.count >= 8 }.map { Secret($0) }
    }
}

extension OAuthMessage {
    /// What its header has of secrets: credentials, a token, a proof.
    fileprivate var credentials: [Secret?] {
        let fields = self.request.headerFields
        let authorization = fields[.authorization]?.split(separator: " ").last.map(String.init)
        return [authorization, fields[.dpop]].map { $0.map { Secret($0) } }
    }
}

extension FormParameters {
    /// The values that nobody else may read.
    ///
    /// Every parameter counts but those that are known to be none: an extension's own may be anything. A short value
    /// counts only under a name that is known to be a secret's.
    var secrets: [Secret?] {
        self.parameters
            .filter {
                Self.secretNames.contains($0.name)
                    || ($0.value.utf8.count >= 8 && !Self.openNames.contains($0.name))
            }
            .map { Secret($0.value) }
    }

    private static let secretNames: Set<String> = [
        "code", "code_verifier", "refresh_token", "token", "assertion", "subject_token", "actor_token", "device_code",
        "auth_req_id", "login_hint_token", "id_token_hint", "user_code", "state", "nonce", "request",
    ]

    private static let openNames: Set<String> = [
        "acr_values", "actor_token_type", "audience", "authorization_details", "binding_message", "claims",
        "client_assertion_type", "client_id", "code_challenge", "code_challenge_method", "display", "dpop_jkt", "error",
        "error_description", "error_uri", "grant_type", "iss", "login_hint", "logout_hint", "max_age",
        "post_logout_redirect_uri", "prompt", "redirect_uri", "requested_expiry", "requested_token_type", "resource",
        "response_mode", "response_type", "scope", "subject_token_type", "token_type", "token_type_hint", "ui_locales",
    ]
}

extension ProtocolViolationError {
    /// The violation without secrets that stood in what came.
    fileprivate func without(_ secrets: CarriedSecrets) -> ProtocolViolationError {
        ProtocolViolationError(
            self.rule,
            expected: self.expected,
            actual: self.actual.map { secrets.removed(from: $0) },
            section: self.section
        )
    }
}
