// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import Synchronization
public import TesseraOAuth

/// A token endpoint that immediately responds to every refresh with rotated tokens.
public struct InstantTokenEndpoint: HTTPTransport {
    private static let requests = Mutex(0)
    /// The time of the last response.
    public static let answered = Mutex(ContinuousClock.now)

    /// Creates the endpoint.
    public init() {}

    /// Returns a token response with new tokens.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let number = Self.requests.withLock { requests in
            requests += 1
            return requests
        }
        let filler = String(repeating: "benchmark-", count: 20)
        let response = """
            {"access_token": "ya29.\(number).\(filler)", "token_type": "Bearer", "expires_in": 3600,
             "refresh_token": "1//\(number).\(filler)"}
            """
        let fields: HTTPFields = [.contentType: "application/json"]
        Self.answered.withLock { $0 = ContinuousClock.now }
        return (HTTPResponse(status: .ok, headerFields: fields), HTTPBody(response))
    }
}
