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

/// Who visits backends: a browser with cookies, or an app with a token; it follows no redirect by itself.
final class BackendVisitor: Sendable {
    struct Answer: Sendable {
        let status: Int
        let text: String
        let headers: HTTPFields

        var location: String? { self.headers[.location] }
        var json: JSONValue? { try? JSONValue(parsing: Array(self.text.utf8)) }
    }

    private let jar = Mutex<[String: String]>([:])

    /// What the browser sends from now on, wherever it goes.
    var cookies: [String: String] {
        get { self.jar.withLock { $0 } }
        set { self.jar.withLock { $0 = newValue } }
    }

    func get(_ url: String, headers: HTTPFields = [.accept: "text/html"]) async throws -> Answer {
        try await self.send(.get, url, headers: headers)
    }

    func post(_ url: String, json: String? = nil, headers: HTTPFields = [:]) async throws -> Answer {
        var headers = headers
        if json != nil { headers[.contentType] = "application/json" }
        return try await self.send(.post, url, headers: headers, body: json ?? "")
    }

    /// Asks for the files as an app does.
    static func files(at origin: String, _ session: String) async throws -> Answer {
        try await BackendVisitor()
            .get(origin + "/files", headers: [.accept: "application/json", .authorization: "Bearer \(session)"])
    }

    /// Signs in: begins at one instance, consents, and gives the address of the callback, which was not asked for yet.
    func callback(from origin: String, at place: BackendPlace, query: String = "", as email: String) async throws
        -> String
    {
        let begun = try await self.get(origin + "/sign-in" + query)
        guard let url = begun.location else { throw BackendAnswerError(begun) }
        return try await ConsentWalk(transport: BackendPlace.transport, email: email).redirect(from: url)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        headers: HTTPFields,
        body: String? = nil
    ) async throws -> Answer {
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
        let (response, answer) = try await BackendPlace.transport.send(request, body: body.map { HTTPBody($0) })
        for cookie in response.headerFields[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            self.jar.withLock { $0[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil }
        }
        return Answer(
            status: Int(response.status.code),
            text: String(decoding: try await answer.collect(upTo: 1 << 22), as: UTF8.self),
            headers: response.headerFields
        )
    }
}

/// A backend answered otherwise than it should.
struct BackendAnswerError: Error {
    var status: Int
    var text: String

    init(_ answer: BackendVisitor.Answer) { (self.status, self.text) = (answer.status, answer.text) }
}
#endif
