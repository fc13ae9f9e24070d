// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
public import GRPCCore
internal import HTTPTypes
public import Tessera
internal import TesseraOAuth

/// Puts a fresh access token on each gRPC call, unary or streaming.
///
/// The token replaces an `authorization` entry of the call. After a refusal with `unauthenticated` the source is asked for
/// another token, which it refreshes only if the refused one is still the current one, and was not refreshed just before.
/// The interceptor belongs to one stream and cannot open another, so gRPC itself makes the call once more, with the new
/// token, if the execution policy says so:
///
/// ```swift
/// let everything = MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .replayingRefusedCalls)
/// let transport = try HTTP2ClientTransport.Posix(
///     target: .dns(host: "pubsub.googleapis.com"),
///     transportSecurity: .tls,
///     serviceConfig: ServiceConfig(methodConfig: [everything])
/// )
/// let interceptor = try BearerTokenInterceptor(session, endpoint: "https://pubsub.googleapis.com")
/// let client = GRPCClient(transport: transport, interceptors: [interceptor])
/// ```
///
/// A token that is bound to a key (DPoP) is sent with a proof for `POST` and the URL of the method, in the entry `dpop`.
/// The server finds its nonce in the next proof if it sends `dpop-nonce`, and demands one by `www-authenticate`.
///
/// Put it last: interceptors before it, which may log metadata, then see no token.
///
/// A call fails with an `RPCError` whose `cause` is the source's error: `unavailable` if another try can help, else
/// `unauthenticated`. No error of a call shows its token, even if the server repeats it.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [gRPC's authentication guide](https://grpc.io/docs/guides/auth/)
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
public struct BearerTokenInterceptor: ClientInterceptor {
    private let source: any AccessTokenSource
    private let endpoint: URIParts
    /// Whether the endpoint is loopback without TLS: the peer has to be this machine then.
    private var isLoopback: Bool { self.endpoint.scheme == "http" }

    /// Creates an interceptor for the calls of one client.
    ///
    /// - Parameters:
    ///   - source: where the tokens come from; a session is one.
    ///   - endpoint: the origin that the client's transport is connected to, `https://host[:port]`; `http` on loopback
    ///     only. A transport knows no name that could be compared: an interceptor goes to no other client.
    /// - Throws: `UnauthorizedOriginError` when the source's tokens may not be sent there, `InvalidRequestError` for what is no
    ///   origin.
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
            call.learn(from: contents.metadata)
            contents.bodyParts = RPCAsyncSequence(wrapping: AuthorizedParts(parts: contents.bodyParts, call: call))
            response.accepted = .success(contents)
        }
        return response
    }

    /// Whether a peer, as gRPC writes it, can be no other machine.
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
    /// Makes a call once more, at once, that the server refused with `unauthenticated` before it began to answer.
    ///
    /// Whoever calls was not let in, so this suits every method. Beside a ``BearerTokenInterceptor`` the second try has a
    /// new token. A policy of your own does the same with `unauthenticated` among its `retryableStatusCodes`. A stream of
    /// which more was sent than gRPC keeps is not made again, and fails as refused.
    ///
    /// - SeeAlso: [gRFC A6](https://github.com/grpc/proposal/blob/master/A6-client-retries.md)
    public static var replayingRefusedCalls: Self {
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
/// Puts a fresh bearer token on each gRPC call.
@available(*, unavailable, message: "Enable the package trait GRPC to use this interceptor.")
public struct BearerTokenInterceptor {}
#endif
