// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
public import GRPCCore
internal import HTTPTypes
public import Tessera
internal import TesseraOAuth

/// Adds a valid access token to each gRPC call, whether unary or streaming.
///
/// The token replaces any `authorization` entry in the metadata. If the server rejects a call with `unauthenticated`,
/// the interceptor requests another token from the source. The source refreshes the token only if the rejected token is
/// still current and has not just been refreshed. An interceptor belongs to a single stream and cannot open another, so
/// gRPC must repeat the call with the new token. Enable this with an execution policy:
///
/// ```swift
/// let everything = MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .replayingRejectedCalls)
/// let transport = try HTTP2ClientTransport.Posix(
///     target: .dns(host: "pubsub.googleapis.com"),
///     transportSecurity: .tls,
///     serviceConfig: ServiceConfig(methodConfig: [everything])
/// )
/// let interceptor = try BearerTokenInterceptor(session, endpoint: "https://pubsub.googleapis.com")
/// let client = GRPCClient(transport: transport, interceptors: [interceptor])
/// ```
///
/// A key-bound token (DPoP) is sent with a proof for `POST` and the URL of the method in the `dpop` entry. A nonce that
/// the server sends in `dpop-nonce` is included in the next proof. The server can require one with `www-authenticate`.
///
/// Add this interceptor last, so that others, which may log metadata, do not see the token.
///
/// If no token is available, the call fails with an `RPCError` whose `cause` is the source's error. Its code is
/// `unavailable` if a retry may succeed, and `unauthenticated` otherwise. Errors never contain the token, even if the
/// server repeats it.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [gRPC's authentication guide](https://grpc.io/docs/guides/auth/)
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
public struct BearerTokenInterceptor: ClientInterceptor {
    private let source: any AccessTokenSource
    private let endpoint: URIParts
    /// Whether the endpoint is a loopback address without TLS, in which case the peer must be this machine.
    private var isLoopback: Bool { self.endpoint.scheme == "http" }

    /// Creates an interceptor for calls made by one client.
    ///
    /// - Parameters:
    ///   - source: The source of the access tokens, such as a session.
    ///   - endpoint: The origin that the client's transport is connected to, as `https://host[:port]`, or `http` for a
    ///     loopback address. A transport does not provide its host name, so the origin cannot be verified. Do not use
    ///     the interceptor with other clients.
    /// - Throws: `UnauthorizedOriginError` if the source's tokens must not be sent to the origin, or
    ///   `InvalidRequestError` if the endpoint is not an origin.
    public init(_ source: any AccessTokenSource, endpoint: String) throws {
        _ = try OriginPattern(endpoint)
        guard let parts = URIParts(endpoint),
            source.authorizedOrigins.contains(where: { $0.contains(scheme: parts.scheme, authority: parts.authority) })
        else { throw UnauthorizedOriginError(origin: endpoint, authorizedOrigins: source.authorizedOrigins) }
        self.source = source
        self.endpoint = parts
    }

    /// Sends the call with a token.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingClientRequest<Input>,
        context: ClientContext,
        next: @concurrent (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
    ) async throws -> StreamingClientResponse<Output> {
        guard !self.isLoopback || Self.isThisMachine(context.remotePeer) else {
            let refusal = UnauthorizedOriginError(
                origin: context.remotePeer,
                authorizedOrigins: self.source.authorizedOrigins
            )
            throw RPCError(code: .permissionDenied, message: refusal.description, cause: refusal)
        }
        let message = HTTPRequest(
            method: .post,
            scheme: self.endpoint.scheme,
            authority: self.endpoint.authority,
            path: "/" + context.descriptor.fullyQualifiedMethod
        )
        let call = try await AuthorizedCall(message, self.source)
        var request = request
        call.authorize(&request.metadata)
        var response = try await next(request, context)
        switch response.accepted {
        case .failure(let error):
            response.accepted = .failure(await call.failure(error))
        case .success(var contents):
            call.updateNonce(from: contents.metadata)
            contents.bodyParts = RPCAsyncSequence(wrapping: AuthorizedParts(parts: contents.bodyParts, call: call))
            response.accepted = .success(contents)
        }
        return response
    }

    /// Returns whether a peer, in gRPC's notation, is on this machine.
    private static func isThisMachine(_ peer: String) -> Bool {
        let parts = peer.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        switch parts[0] {
        case "unix", "in-process": return true
        case "ipv4", "ipv6": return RequestTarget.parts(of: parts[1]).map { RequestTarget.isLoopback($0.host) } ?? false
        default: return false
        }
    }
}

@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
extension RPCExecutionPolicy {
    /// Repeats a call once, without delay, if the server rejects it with `unauthenticated` before it begins to respond.
    ///
    /// The server has not processed such a call, so this policy is safe for all methods. With a
    /// ``BearerTokenInterceptor``, the second attempt has a new token. A custom policy has the same effect if
    /// `unauthenticated` is one of its `retryableStatusCodes`. A streaming call is not repeated if it has sent more
    /// than gRPC buffers.
    ///
    /// - SeeAlso: [gRFC A6](https://github.com/grpc/proposal/blob/master/A6-client-retries.md)
    public static var replayingRejectedCalls: Self {
        .retry(
            RetryPolicy(
                maxAttempts: 2,
                initialBackoff: .milliseconds(1),
                maxBackoff: .milliseconds(1),
                backoffMultiplier: 1,
                retryableStatusCodes: [.unauthenticated]
            )
        )
    }
}
#else
/// Adds a valid access token to each gRPC call.
@available(*, unavailable, message: "Enable the package trait GRPC to use this interceptor.")
public struct BearerTokenInterceptor {}
#endif
