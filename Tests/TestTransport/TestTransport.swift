// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
public import TesseraOAuth

#if canImport(Glibc) || canImport(Musl)
internal import TesseraCurl
#endif
#if AsyncHTTPClient && !canImport(UIKit)
internal import TesseraAsyncHTTPClient
#endif
#if canImport(Darwin)
internal import TesseraURLSession
#endif

/// The transport of the test suites.
///
/// It is the platform's default transport. If the environment has `TESSERA_TEST_TRANSPORT=async-http-client` and the
/// trait is enabled, async-http-client is used instead.
public enum TestTransport {
    /// Creates a transport with new connections, which permits plain HTTP on loopback.
    ///
    /// - Parameter additionalTrustRoots: Paths of PEM files with certificates to trust. URLSession does not support
    ///   them, so async-http-client is used instead.
    /// - Returns: The transport.
    public static func make(additionalTrustRoots: [String] = []) -> any HTTPTransport {
        #if AsyncHTTPClient && !canImport(UIKit)
        #if canImport(Darwin)
        let isNeeded = !additionalTrustRoots.isEmpty
        #else
        let isNeeded = false
        #endif
        if isNeeded || ProcessInfo.processInfo.environment["TESSERA_TEST_TRANSPORT"] == "async-http-client" {
            return AsyncHTTPClientTransport(
                insecure: .loopbackHTTP,
                additionalTrustRoots: additionalTrustRoots
            )
        }
        #endif
        #if canImport(Darwin)
        return URLSessionTransport(insecure: .loopbackHTTP)
        #else
        return CurlTransport(insecure: .loopbackHTTP, additionalTrustRoots: additionalTrustRoots)
        #endif
    }
}
