// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !GRPC
/// Puts a fresh bearer token on each gRPC call.
@available(*, unavailable, message: "Enable the package trait GRPC to use this interceptor.")
public struct BearerTokenInterceptor {}
#endif
