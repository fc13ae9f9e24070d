// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth

/// A person's browser without a window: keeps cookies of one origin, follows redirects within it, and reads forms.
final class CookieBrowser: Sendable {
    /// What a request led to.
    struct Page: Sendable {
        /// Where it is, after the redirects within the origin.
        let url: String
        let status: Int
        let text: String
        /// Where it redirects to outside of the origin; not followed.
        let redirect: String?

        /// A parameter of the address.
        func parameter(_ name: String) -> String? {
            let query = self.url.drop { $0 != "?" }.dropFirst()
            return (try? FormParameters(decoding: query))?[name]
        }
    }

    private let transport: any HTTPTransport
    private let origin: String
    private let cookies = Mutex<[String: String]>([:])
    private let visits = Mutex<[String]>([])

    /// A browser for the pages of the origin of `url`.
    init(originOf url: String, transport: any HTTPTransport) throws {
        guard let parts = URIParts(url), let authority = parts.authority else { throw TransportError(.invalidURL) }
        self.origin = "\(parts.scheme)://\(authority)"
        self.transport = transport
    }

    /// Every address that was asked for, in this order.
    var visited: [String] { self.visits.withLock { $0 } }

    /// Opens a page.
    func get(_ url: String) async throws -> Page { try await self.open(.get, url, body: nil, type: nil) }

    /// Sends a form as it was filled in.
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

    /// What a script of the page does: one request to a path of the origin.
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
        throw CookieBrowserError(url: url, reason: "redirect after redirect")
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
        // One line: set by its subscript, the field would be one line for each cookie, as HTTP/2 may have it.
        if !cookies.isEmpty {
            request.headerFields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; ")))
        }
        if body != nil { request.headerFields[.contentType] = type }
        let (response, answer) = try await self.transport.send(request, body: body.map { HTTPBody($0) })
        for cookie in response.headerFields[values: .setCookie] { self.keep(cookie) }
        return (response, String(decoding: try await answer.collect(upTo: 1 << 22), as: UTF8.self))
    }

    /// Keeps a cookie, or forgets it where its value is taken away.
    private func keep(_ cookie: String) {
        let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        let value = pair[1] == "\"\"" || pair[1].isEmpty ? nil : String(pair[1])
        self.cookies.withLock { $0[String(pair[0])] = value }
    }
}

/// A page was not what a person expects there.
struct CookieBrowserError: Error {
    var url: String
    var reason: String
}
