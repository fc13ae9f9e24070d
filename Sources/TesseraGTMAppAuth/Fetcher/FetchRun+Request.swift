// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Foundation
internal import HTTPTypes
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The request of an attempt.
extension FetchRun {
    /// Returns the request with the header fields from the configuration and the user agent.
    ///
    /// - Throws: An error in ``kGTMSessionFetcherErrorDomain`` if the request cannot be sent.
    func preparedRequest() async throws -> URLRequest {
        guard var request = self.state.request, request.url?.scheme != nil else {
            throw NSError.fetcher(.downloadFailed, "The request has no URL.", url: "(missing URL)")
        }
        do {
            try self.check(request)
        } catch {
            self.update { $0.settings.authorizer = nil }
            throw error
        }
        for (name, value) in await self.configuredFields() where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        if request.value(forHTTPHeaderField: "User-Agent") == nil, let provider = self.state.settings.userAgentProvider
        {
            request.setValue(await Self.userAgent(of: provider), forHTTPHeaderField: "User-Agent")
        }
        let isOverridden = request.value(forHTTPHeaderField: "X-HTTP-Method-Override") != nil
        let hasBody = self.state.hasBody || request.httpBodyStream != nil
        if hasBody, !isOverridden, (request.httpMethod ?? "GET").uppercased() == "GET" { request.httpMethod = "POST" }
        try self.activeState()
        let prepared = request
        self.update { $0.sentRequest = prepared }
        return prepared
    }

    /// Checks that a request can be sent.
    ///
    /// - Throws: `insecureRequest` if its URL is not permitted.
    func check(_ request: URLRequest) throws {
        guard let url = request.url, !self.permits(url) else { return }
        throw NSError.fetcher(
            .insecureRequest,
            "The URL is not https. Use https, or for this machine, set allowLocalhostRequest.",
            url: Self.printable(url)
        )
    }

    /// Returns a URL without the parts that can contain secrets.
    private static func printable(_ url: URL) -> String? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string
    }

    private func permits(_ url: URL) -> Bool {
        let (settings, scheme) = (self.state.settings, url.scheme?.lowercased() ?? "")
        switch scheme {
        // A data URL contains its content, so that it is as safe as the request itself.
        case "data": return true
        case "file": return settings.allowsLocalhost || settings.permits(insecureScheme: scheme)
        case "http", "https":
            let permitsLoopback = settings.allowsLocalhost || settings.permits(insecureScheme: "http")
            return URIParts(url.absoluteString)?.isSecure(insecure: permitsLoopback ? .loopbackHTTP : []) == true
        default: return settings.permits(insecureScheme: scheme)
        }
    }

    /// Returns the header fields of the configuration, which the app can change before the first attempt.
    private func configuredFields() async -> [String: String] {
        if self.state.settings.configurationBlock != nil {
            await self.call { state in
                let configuration = state.settings.configuration ?? .ephemeral
                state.settings.configurationBlock?(self.fetcher, configuration)
                self.fetcher.update { state in
                    state.settings.configuration = configuration
                    state.settings.configurationBlock = nil
                }
            }
        }
        let fields = self.state.settings.configuration?.httpAdditionalHeaders ?? [:]
        return Dictionary(
            fields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns a provider's header.
    ///
    /// Computing it can take a while, so that it does not occupy a thread of the cooperative pool.
    private static func userAgent(of provider: any GTMUserAgentProvider) async -> String? {
        if let cached = provider.cachedUserAgent { return cached }
        return await SharedResult.value(otherwise: nil) { supply in
            DispatchQueue.global().async { supply(provider.userAgent) }
        }
    }

    /// Returns the content of a file or data URL, or nil for other URLs.
    func localContent(of request: URLRequest) async throws -> HTTPBody? {
        guard let url = request.url else { return nil }
        switch url.scheme?.lowercased() {
        case "file": return try await Self.body(ofFile: url)
        case "data":
            guard let content = Self.content(ofDataURL: url.absoluteString) else { throw URLError(.badURL) }
            return HTTPBody(content)
        default: return nil
        }
    }

    /// Returns the content of a data URL (RFC 2397), or nil if it is not valid.
    private static func content(ofDataURL text: String) -> [UInt8]? {
        guard let comma = text.firstIndex(of: ",") else { return nil }
        let content = PercentEncoding.decode(text[text.index(after: comma)...].utf8, plusIsSpace: false)
        guard text[..<comma].lowercased().hasSuffix(";base64") else { return content }
        return content.flatMap { Data(base64Encoded: Data($0)) }.map { Array($0) }
    }

    /// Returns the message for a request.
    func message(_ request: URLRequest) throws -> HTTPRequest {
        guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else {
            throw NSError.fetcher(.taskCreationFailed, "The HTTP method is invalid.")
        }
        var message = try HTTPRequest(method: method, url: request.url?.absoluteString ?? "")
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            // The transport sets the length, because it knows how the body is sent.
            guard let name = HTTPField.Name(name), name != .contentLength else { continue }
            message.headerFields[name] = value
        }
        return message
    }
}
