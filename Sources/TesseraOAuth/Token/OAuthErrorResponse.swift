// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON

/// Reads an endpoint's answer that is no success.
enum OAuthErrorResponse {
    /// Lets an answer pass that has the status of a success.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError`` for any other.
    static func check(
        _ response: HTTPResponse,
        is success: Int = 200,
        body: [UInt8],
        endpoint: String,
        sent: FormParameters = FormParameters()
    ) throws {
        guard response.status.code != success else { return }
        throw Self.error(response, body: body, endpoint: endpoint, sent: sent)
    }

    /// The server's own error where there is a readable one, else the status.
    static func error(
        _ response: HTTPResponse,
        body: [UInt8],
        endpoint: String,
        sent: FormParameters
    ) -> any Error {
        let status = Int(response.status.code)
        let retryAfter = response.headerFields[.retryAfter].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        guard status >= 400,
            let fields = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 16)),
            let code = fields["error"]?.string, !code.isEmpty
        else {
            return HTTPStatusError(status: status, endpoint: endpoint, retryAfter: retryAfter)
        }
        return OAuthError(
            OAuthError.Code(rawValue: Self.secrets(sent).reduce(code) { $1.removed(fromName: $0) }),
            errorDescription: fields["error_description"]?.string.map { Self.text($0, without: sent) },
            errorURI: fields["error_uri"]?.string.map { Self.text($0, without: sent) },
            status: status,
            retryAfter: retryAfter
        )
    }

    /// The server's own words without the secrets that it was sent: some repeat them.
    private static func text(_ text: String, without sent: FormParameters) -> String {
        Self.secrets(sent).reduce(text) { $1.removed(from: $0) }
    }

    private static func secrets(_ sent: FormParameters) -> [Secret] {
        sent.parameters.filter { Self.secretNames.contains($0.name) }.map { Secret($0.value) }
    }

    private static let secretNames: Set<String> = [
        "code", "code_verifier", "refresh_token", "token", "assertion", "subject_token", "actor_token", "device_code",
        "auth_req_id", "login_hint_token", "id_token_hint", "user_code", "state", "nonce", "request",
    ]
}
