// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// A connection to a WebDriver server through an HTTP transport.
///
/// - SeeAlso: [WebDriver](https://www.w3.org/TR/webdriver2/)
struct WebDriverConnection: Sendable {
    let transport: any HTTPTransport
    let authority: String

    /// Sends a command and returns its value.
    func post<Value: Decodable>(_ path: String, _ body: some Encodable, as type: Value.Type = Value.self) async throws
        -> Value
    {
        try await self.send(.post, path, HTTPBody(Array(JSONEncoder().encode(body))))
    }

    /// Sends a command that has no value.
    func post(_ path: String, _ body: some Encodable) async throws {
        let _: Ignored = try await self.post(path, body)
    }

    /// Gets a value.
    func get<Value: Decodable>(_ path: String, as type: Value.Type = Value.self) async throws -> Value {
        try await self.send(.get, path, nil)
    }

    func delete(_ path: String) async throws {
        let _: Ignored = try await self.send(.delete, path, nil)
    }

    private func send<Value: Decodable>(_ method: HTTPRequest.Method, _ path: String, _ body: HTTPBody?) async throws
        -> Value
    {
        var request = HTTPRequest(method: method, scheme: "http", authority: self.authority, path: path)
        if body != nil { request.headerFields[.contentType] = "application/json; charset=utf-8" }
        let (response, content) = try await self.transport.send(request, body: body)
        let bytes = Data(try await content.collect(upTo: 1 << 26))
        guard response.status == .ok else {
            let failure = try JSONDecoder().decode(Response<Failure>.self, from: bytes).value
            throw WebDriverError(failure.message, code: failure.error)
        }
        return try JSONDecoder().decode(Response<Value>.self, from: bytes).value
    }

    private struct Response<Value: Decodable>: Decodable {
        var value: Value
    }

    private struct Failure: Decodable {
        var error: String
        var message: String
    }

    /// The ignored value of a command without a result.
    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }
}
