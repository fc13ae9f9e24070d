// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URLRequest {
    init(_ request: HTTPRequest, target: RequestTarget) throws(TransportError) {
        guard let url = URL(string: target.url) else { throw TransportError(.invalidURL, host: target.origin.host) }
        self.init(url: url)
        self.httpMethod = request.method.rawValue
        self.httpShouldHandleCookies = false
        for field in request.headerFields {
            self.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
    }
}

extension HTTPResponse {
    /// Creates a response head.
    ///
    /// Fields with invalid names are omitted.
    init(_ response: URLResponse, host: String) throws(TransportError) {
        guard let response = response as? HTTPURLResponse, 100...999 ~= response.statusCode else {
            throw TransportError(.invalidResponse, host: host)
        }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Status(code: response.statusCode), headerFields: fields)
    }
}

extension HTTPBody {
    /// Creates a response body as a stream that can be read once.
    init(_ response: URLResponse, of exchange: Exchange, to method: HTTPRequest.Method) {
        let reader = ExchangeReader(exchange)
        self.init(length: Self.length(of: response, to: method), isReplayable: false) {
            guard exchange.startReading() else { return { throw TransportError(.bodyAlreadyRead) } }
            return { try await reader.next() }
        }
    }

    private static func length(of response: URLResponse, to method: HTTPRequest.Method) -> Int64? {
        guard let response = response as? HTTPURLResponse else { return nil }
        if method == .head || [204, 304].contains(response.statusCode) { return 0 }
        // The length of a decoded body differs from the value of the field.
        guard response.value(forHTTPHeaderField: "Content-Encoding") == nil else { return nil }
        return response.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
    }
}

/// An object that ends the exchange when its body can no longer be read.
private final class ExchangeReader: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit { self.exchange.cancel() }

    func next() async throws -> [UInt8]? { try await self.exchange.next() }
}
