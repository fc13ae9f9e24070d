// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON

/// Reads an endpoint's answer that is no success.
enum OAuthErrorResponse {
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
            OAuthError.Code(rawValue: code),
            errorDescription: fields["error_description"]?.string.map { Self.text($0, without: sent) },
            errorURI: fields["error_uri"]?.string.map { Self.text($0, without: sent) },
            status: status,
            retryAfter: retryAfter
        )
    }

    /// The server's own words without the secrets that it was sent: some repeat them.
    private static func text(_ text: String, without sent: FormParameters) -> String {
        sent.parameters.filter { Self.secretNames.contains($0.name) && !$0.value.isEmpty }
            .reduce(text) { $0.replacing($1.value, with: "<redacted>") }
    }

    private static let secretNames: Set<String> = ["code", "code_verifier", "refresh_token", "token"]
}
