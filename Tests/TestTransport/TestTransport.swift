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

/// The transport that the suites send with.
///
/// It is the platform's own. `TESSERA_TEST_TRANSPORT=async-http-client` makes a run use the other one, where the trait is on.
public enum TestTransport {
    /// A transport with connections of its own, which may use http on loopback.
    ///
    /// - Parameter additionalTrustRoots: Paths of PEM files with certificates to trust. URLSession takes none:
    ///   async-http-client is used instead.
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
                permitting: .loopbackHTTP,
                additionalTrustRoots: additionalTrustRoots
            )
        }
        #endif
        #if canImport(Darwin)
        return URLSessionTransport(permitting: .loopbackHTTP)
        #else
        return CurlTransport(permitting: .loopbackHTTP, additionalTrustRoots: additionalTrustRoots)
        #endif
    }
}
