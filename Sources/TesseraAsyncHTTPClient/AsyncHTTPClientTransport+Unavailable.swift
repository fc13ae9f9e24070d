// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !AsyncHTTPClient
/// The network through async-http-client.
@available(*, unavailable, message: "Enable the package trait AsyncHTTPClient to use this transport.")
public final class AsyncHTTPClientTransport {}
#endif
