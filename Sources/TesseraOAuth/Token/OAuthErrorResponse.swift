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
        let retryAfter = response.retryAfter(at: nil).map { Int(clamping: $0.components.seconds) }
        guard status >= 400,
            let fields = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 16)),
            let code = fields["error"]?.string, !code.isEmpty
        else {
            return HTTPStatusError(status: status, endpoint: endpoint, retryAfter: retryAfter)
        }
        return OAuthError(
            OAuthError.Code(rawValue: code),
            serverDescription: fields["error_description"]?.string,
            errorURI: fields["error_uri"]?.string,
            status: status,
            retryAfter: retryAfter,
            subtype: fields["error_subtype"]?.string,
            serverDate: response.serverDate
        )
        .without(CarriedSecrets(sent.secrets))
    }
}
