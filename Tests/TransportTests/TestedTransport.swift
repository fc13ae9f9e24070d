// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AsyncHTTPClient) || os(Linux)
internal import Foundation
internal import HTTPTypes
internal import TesseraAsyncHTTPClient
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import TesseraTesting

/// A transport that passes the shared tests.
enum TestedTransport: CaseIterable {
    #if canImport(AsyncHTTPClient)
    case asyncHTTPClient
    #endif
    #if os(Linux)
    case curl
    #endif

    /// The transports that can trust additional certificates, which libcurl cannot do with every TLS library.
    static var trustingRoots: [Self] {
        #if os(Linux)
        if !CurlLibrary.loaded.hasTrustRoots { return self.allCases.filter { $0 != .curl } }
        #endif
        return self.allCases
    }

    /// The transports that can also present a client certificate.
    static var presentingIdentities: [Self] {
        #if os(Linux)
        if !CurlLibrary.loaded.usesOpenSSL { return self.trustingRoots.filter { $0 != .curl } }
        #endif
        return self.trustingRoots
    }

    var contract: HTTPTransportContract { HTTPTransportContract { self.make(insecure: $0, timeouts: $1) } }

    /// Creates a transport with new connections and these environment variables.
    func make(
        insecure: Insecure = [],
        timeouts: TransportTimeouts = TransportTimeouts(),
        trustRoots: [String] = [],
        environment: [String: String] = [:]
    ) -> any TestableTransport {
        let environment = ProcessVariables(environment)
        switch self {
        #if canImport(AsyncHTTPClient)
        case .asyncHTTPClient:
            return AsyncHTTPClientTransport(
                insecure: insecure,
                timeouts: timeouts,
                additionalTrustRoots: trustRoots,
                environment: environment
            )
        #endif
        #if os(Linux)
        case .curl:
            return CurlTransport(
                insecure: insecure,
                timeouts: timeouts,
                additionalTrustRoots: trustRoots,
                environment: environment
            )
        #endif
        }
    }

    /// Creates a transport that presents a client certificate.
    func make(identity: ClientIdentity, trustRoots: [String]) throws -> any TestableTransport {
        switch self {
        #if canImport(AsyncHTTPClient)
        case .asyncHTTPClient:
            return try AsyncHTTPClientTransport(clientIdentity: identity, additionalTrustRoots: trustRoots)
        #endif
        #if os(Linux)
        case .curl:
            return try CurlTransport(clientIdentity: identity, additionalTrustRoots: trustRoots)
        #endif
        }
    }
}

/// A transport whose connections can be closed.
protocol TestableTransport: HTTPTransport {
    func shutdown() async
}

extension HTTPTransport {
    /// Sends a GET request without a body.
    func get(_ path: String = "/", from authority: String, scheme: String = "https") async throws
        -> (HTTPResponse, HTTPBody)
    {
        try await self.send(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path), body: nil)
    }
}

#if canImport(AsyncHTTPClient)
extension AsyncHTTPClientTransport: TestableTransport {}
#endif
#if os(Linux)
extension CurlTransport: TestableTransport {}
#endif

/// Runs `body` with the path of a file that has this text and removes the file.
func withFile<Value>(_ text: String, _ body: (_ path: String) async throws -> Value) async throws -> Value {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).pem")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file.path)
}
#endif
