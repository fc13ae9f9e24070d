// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import HTTPTypes
internal import Tessera

/// What an answer's status means for the exit code.
enum ResponseFailure {
    /// The error of a status of 400 or more.
    static func error(_ response: HTTPResponse) -> any ErrorGuidance {
        let code = Int(response.status.code)
        if let challenge = BearerChallenge(response) { return challenge }
        let status = HTTPStatusError(status: code, endpoint: "API")
        if status.isTransient { return status }
        let phrase = response.status.reasonPhrase
        return CommandError(
            "http_\(code)",
            "The API answered with HTTP status \(code)\(phrase.isEmpty ? "" : " \(phrase)")",
            code == 401
                ? "Sign in again with 'tessera login'." : "The body says more; check the address and the scopes.",
            status: code == 401 ? .signInNeeded : .refused
        )
    }
}
#endif
