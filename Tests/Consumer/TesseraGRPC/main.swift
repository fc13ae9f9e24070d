// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGRPC

#if GRPC
if #available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *) { print(BearerTokenInterceptor.self) }
#endif
