// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit)
/// The network through async-http-client.
@available(*, unavailable, message: "Use URLSessionTransport of TesseraURLSession on this platform.")
public final class AsyncHTTPClientTransport {}
#elseif !AsyncHTTPClient
/// The network through async-http-client.
@available(*, unavailable, message: "Enable the package trait AsyncHTTPClient to use this transport.")
public final class AsyncHTTPClientTransport {}
#endif
