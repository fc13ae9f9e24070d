// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth

/// A browser without a window, which stores the cookies of one origin and follows redirects within it.
final class CookieBrowser: Sendable {
    /// The final page of a request.
    struct Page: Sendable {
        /// The URL after the redirects within the origin.
        let url: String
        let status: Int
        let text: String
        /// The target of a redirect to another origin, which was not followed.
        let redirect: String?

        /// Returns a query parameter of the URL.
        func parameter(_ name: String) -> String? {
            let query = self.url.drop { $0 != "?" }.dropFirst()
            return (try? FormParameters(decoding: query))?[name]
        }
    }

    private let transport: any HTTPTransport
    private let origin: String
    private let cookies = Mutex<[String: String]>([:])
    private let visits = Mutex<[String]>([])

    /// Creates a browser for the origin of `url`.
    init(originOf url: String, transport: any HTTPTransport) throws {
        guard let parts = URIParts(url), let authority = parts.authority else { throw TransportError(.invalidURL) }
        self.origin = "\(parts.scheme)://\(authority)"
        self.transport = transport
    }

    /// All requested URLs, in order.
    var visited: [String] { self.visits.withLock { $0 } }

    /// Opens a page.
    func get(_ url: String) async throws -> Page { try await self.open(.get, url, body: nil, type: nil) }

    /// Submits a form.
    func submit(_ form: HTMLForm) async throws -> Page {
        var parameters = FormParameters()
        for (name, value) in form.fields { parameters.append(name, value) }
        return try await self.open(
            .post,
            form.action,
            body: parameters.encoded,
            type: "application/x-www-form-urlencoded"
        )
    }

    /// Sends one request to a path of the origin, as a script of a page does.
    @discardableResult
    func call(_ method: HTTPRequest.Method, _ path: String, json: String? = nil) async throws -> Page {
        try await self.open(method, self.origin + path, body: json, type: json == nil ? nil : "application/json")
    }

    private func open(_ method: HTTPRequest.Method, _ url: String, body: String?, type: String?) async throws -> Page {
        var (method, url, body) = (method, url, body)
        for _ in 0..<8 {
            let (response, text) = try await self.send(method, url, body: body, type: type)
            let status = Int(response.status.code)
            guard 300...399 ~= status, let location = response.headerFields[.location] else {
                return Page(url: url, status: status, text: text, redirect: nil)
            }
            let target = location.hasPrefix("/") ? self.origin + location : location
            guard target.hasPrefix(self.origin + "/") else {
                return Page(url: url, status: status, text: text, redirect: target)
            }
            (method, url, body) = (.get, target, nil)
        }
        throw CookieBrowserError(url: url, reason: "too many redirects")
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        body: String?,
        type: String?
    ) async throws -> (HTTPResponse, String) {
        guard let parts = URIParts(url) else { throw TransportError(.invalidURL) }
        self.visits.withLock { $0.append(url) }
        var request = HTTPRequest(
            method: method,
            scheme: parts.scheme,
            authority: parts.authority,
            path: parts.requestTarget
        )
        let cookies = self.cookies.withLock { $0 }.map { "\($0.key)=\($0.value)" }
        // Appended as one field, because the subscript would create a field per cookie, as HTTP/2 permits.
        if !cookies.isEmpty {
            request.headerFields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; ")))
        }
        if body != nil { request.headerFields[.contentType] = type }
        let (response, content) = try await self.transport.send(request, body: body.map { HTTPBody($0) })
        for cookie in response.headerFields[values: .setCookie] { self.save(cookie) }
        return (response, String(decoding: try await content.collect(upTo: 1 << 22), as: UTF8.self))
    }

    /// Saves a cookie, or removes it if its new value is empty.
    private func save(_ cookie: String) {
        let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        let value = pair[1] == "\"\"" || pair[1].isEmpty ? nil : String(pair[1])
        self.cookies.withLock { $0[String(pair[0])] = value }
    }
}

/// A page was not the expected one.
struct CookieBrowserError: Error {
    var url: String
    var reason: String
}
