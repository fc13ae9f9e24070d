// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

/// Sessions that are created from token responses instead of a sign-in, and requests to their API.
enum SessionSamples {
    /// A URL at the origin that the sessions may send tokens to.
    static let call = "https://api.example/me"

    /// Returns a state from a token response, which belongs to a ``ScriptedProvider``'s token endpoint.
    static func state(_ tokens: [String: Any], receivedAt: Date = Date()) throws -> OIDAuthState {
        OIDAuthState(
            authorizationResponse: nil,
            tokenResponse: OIDTokenResponse(
                request: try self.tokenRequest(),
                parameters: tokens,
                receivedAt: receivedAt
            )
        )
    }

    static func tokenRequest() throws -> OIDTokenRequest {
        OIDTokenRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: try Samples.url(ScriptedProvider.issuer + "/authorize"),
                tokenEndpoint: try Samples.url(ScriptedProvider.issuer + "/token")
            ),
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: "code",
            redirectURL: try Samples.url("com.example.app:/callback"),
            clientID: "client"
        )
    }

    /// Returns a session that may send its tokens to the API.
    static func session(
        _ tokens: [String: Any] = ["access_token": "access_token"],
        receivedAt: Date = Date()
    ) throws -> AuthSession {
        let session = AuthSession(authState: try self.state(tokens, receivedAt: receivedAt))
        session.authorizedOrigins = [try .init("https://api.example")]
        return session
    }

    /// Returns an unsigned ID token.
    static func idToken(_ claims: [String: Any]) throws -> String {
        var members: [String: Any] = ["iss": "https://id.example", "aud": "client", "exp": 2e9, "iat": 1e9]
        members.merge(claims) { $1 }
        let parts = try [["alg": "none"], members]
            .map { part in
                try JSONSerialization.data(withJSONObject: part).base64EncodedString().replacing("+", with: "-")
                    .replacing("/", with: "_").replacing("=", with: "")
            }
        return parts.joined(separator: ".") + "."
    }

    static func request(_ url: String = Self.call) throws -> NSMutableURLRequest {
        NSMutableURLRequest(url: try Samples.url(url))
    }
}

extension NSMutableURLRequest {
    /// A copy of the request.
    var plain: URLRequest { URLRequest._unconditionallyBridgeFromObjectiveC(self) }

    /// The value of the `Authorization` header.
    var authorization: String? { self.value(forHTTPHeaderField: "Authorization") }
}

extension AuthSession {
    /// Authorizes a request and returns the error that its handler receives.
    func failure(authorizing request: NSMutableURLRequest?) async -> (any Swift.Error)? {
        await withCheckedContinuation { continuation in
            self.authorizeRequest(request) { continuation.resume(returning: $0) }
        }
    }
}

/// The results that completion handlers have received, in order.
final class HandlerResults: Sendable {
    private let stream = AsyncStream.makeStream(of: String.self)
    private let number = Mutex(0)

    /// The text of an authorization that was stopped.
    static let stopped = "\(OIDGeneralErrorDomain) \(OIDErrorCode.programCanceledAuthorizationFlow.rawValue)"

    /// The number of results.
    var count: Int { self.number.withLock { $0 } }

    func add(_ error: (any Error)?, of name: String = "") {
        self.number.withLock { $0 += 1 }
        let error = error as NSError?
        self.stream.continuation.yield(name + (error.map { "\($0.domain) \($0.code)" } ?? "authorized"))
    }

    /// Returns the next result, which is `authorized` or the domain and code of an error.
    func next() async -> String? { await self.stream.stream.first { _ in true } }
}

/// A serial queue that knows whether it runs the current code.
final class MarkedQueue: Sendable {
    let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(_ queue: DispatchQueue = DispatchQueue(label: "handlers")) {
        self.queue = queue
        self.queue.setSpecific(key: self.key, value: true)
    }

    deinit { self.queue.setSpecific(key: self.key, value: nil) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: self.key) == true }

    /// Waits until the queue has run everything that is waiting for it.
    func drain() async {
        await withCheckedContinuation { continuation in self.queue.async { continuation.resume() } }
    }
}

/// Gives every test of a suite a separate network and clock.
struct ScriptedNetwork: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await AppAuthProgram().run { try await function() }
    }
}

extension Trait where Self == ScriptedNetwork {
    /// Gives every test of a suite a separate network and clock.
    static var scriptedNetwork: Self { ScriptedNetwork() }
}
