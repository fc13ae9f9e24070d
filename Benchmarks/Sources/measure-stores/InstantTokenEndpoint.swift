// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Synchronization
internal import Tessera
internal import TesseraOAuth

/// Answers every refresh with a rotated set.
struct InstantTokenEndpoint: HTTPTransport {
    private static let requests = Mutex(0)
    /// When the last answer was given.
    static let answered = Mutex(ContinuousClock.now)

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let number = Self.requests.withLock { requests in
            requests += 1
            return requests
        }
        let filler = String(repeating: "benchmark-", count: 20)
        let answer = """
            {"access_token": "ya29.\(number).\(filler)", "token_type": "Bearer", "expires_in": 3600,
             "refresh_token": "1//\(number).\(filler)"}
            """
        let fields: HTTPFields = [.contentType: "application/json"]
        Self.answered.withLock { $0 = ContinuousClock.now }
        return (HTTPResponse(status: .ok, headerFields: fields), HTTPBody(answer))
    }
}
