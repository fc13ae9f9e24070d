// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
public import GRPCCore

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
#endif
