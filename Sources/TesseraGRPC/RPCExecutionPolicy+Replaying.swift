// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
public import GRPCCore

extension RPCExecutionPolicy {
    /// Makes a call once more, at once, that the server refused with `unauthenticated` before it began to answer.
    ///
    /// Nothing of the call was carried out then, so this holds for every method. Beside a ``BearerTokenInterceptor`` the
    /// second try has a new token. A policy of your own does the same with `unauthenticated` among its
    /// `retryableStatusCodes`. gRPC keeps up to 64 messages of a call that it may make again; one that has sent more
    /// is not made again.
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
