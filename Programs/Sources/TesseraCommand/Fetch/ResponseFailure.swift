// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera

/// What an answer's status means for the exit code.
enum ResponseFailure {
    /// The error of a status of 400 or more.
    static func error(_ response: HTTPResponse) -> any ErrorGuidance {
        let code = Int(response.status.code)
        if let challenge = BearerChallengeError(response) { return challenge }
        let status = HTTPStatusError(status: code, endpoint: "API")
        if status.isTransient { return status }
        let phrase = response.status.phrase
        return CommandError(
            "http_\(code)",
            "The API answered with HTTP status \(code)\(phrase.isEmpty ? "" : " \(phrase)")",
            code == 401
                ? "Sign in again with 'tessera login'." : "The body says more; check the address and the scopes.",
            status: code == 401 ? .signInNeeded : .refused
        )
    }
}

extension HTTPResponse.Status {
    /// The server's reason, else the standard's: HTTP/2 and some clients carry none.
    var phrase: String {
        if !self.reasonPhrase.isEmpty { return self.reasonPhrase }
        return Self.common.first { $0.code == self.code }?.reasonPhrase ?? ""
    }

    private static let common: [Self] = [
        .ok, .created, .accepted, .noContent, .partialContent, .movedPermanently, .found, .seeOther, .notModified,
        .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed,
        .conflict, .gone, .preconditionFailed, .contentTooLarge, .unsupportedMediaType, .tooManyRequests,
        .internalServerError, .notImplemented, .badGateway, .serviceUnavailable, .gatewayTimeout,
    ]
}
