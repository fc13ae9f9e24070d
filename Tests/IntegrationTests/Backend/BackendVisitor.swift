// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import TestTransport
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth

/// A client of the backends, which is a browser with cookies or an app with a token.
///
/// It does not follow redirects.
final class BackendVisitor: Sendable {
    struct Response: Sendable {
        let status: Int
        let text: String
        let headers: HTTPFields

        var location: String? { self.headers[.location] }
        var json: JSONValue? { try? JSONValue(parsing: Array(self.text.utf8)) }
    }

    private let jar = Mutex<[String: String]>([:])

    /// The cookies that are sent with each request.
    var cookies: [String: String] {
        get { self.jar.withLock { $0 } }
        set { self.jar.withLock { $0 = newValue } }
    }

    func get(_ url: String, headers: HTTPFields = [.accept: "text/html"]) async throws -> Response {
        try await self.send(.get, url, headers: headers)
    }

    func post(_ url: String, json: String? = nil, headers: HTTPFields = [:]) async throws -> Response {
        var headers = headers
        if json != nil { headers[.contentType] = "application/json" }
        return try await self.send(.post, url, headers: headers, body: json ?? "")
    }

    /// Requests the files as an app does, with the session as a bearer token.
    static func files(at origin: String, _ session: String) async throws -> Response {
        try await BackendVisitor()
            .get(origin + "/files", headers: [.accept: "application/json", .authorization: "Bearer \(session)"])
    }

    /// Begins a sign-in at one instance, consents, and returns the callback URL without requesting it.
    func callback(from origin: String, at environment: BackendEnvironment, query: String = "", as email: String)
        async throws
        -> String
    {
        let begun = try await self.get(origin + "/sign-in" + query)
        guard let url = begun.location else { throw BackendResponseError(begun) }
        return try await ConsentWalk(transport: BackendEnvironment.transport, email: email).redirect(from: url)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        headers: HTTPFields,
        body: String? = nil
    ) async throws -> Response {
        guard let parts = URIParts(url) else { throw TransportError(.invalidURL) }
        var request = HTTPRequest(
            method: method,
            scheme: parts.scheme,
            authority: parts.authority,
            path: parts.requestTarget,
            headerFields: headers
        )
        let cookies = self.cookies.map { "\($0.key)=\($0.value)" }.sorted()
        if !cookies.isEmpty {
            request.headerFields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; ")))
        }
        let (response, content) = try await BackendEnvironment.transport.send(request, body: body.map { HTTPBody($0) })
        for cookie in response.headerFields[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            self.jar.withLock { $0[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil }
        }
        return Response(
            status: Int(response.status.code),
            text: String(decoding: try await content.collect(upTo: 1 << 22), as: UTF8.self),
            headers: response.headerFields
        )
    }
}

/// An unexpected response from a backend.
struct BackendResponseError: Error {
    var status: Int
    var text: String

    init(_ response: BackendVisitor.Response) { (self.status, self.text) = (response.status, response.text) }
}
#endif
