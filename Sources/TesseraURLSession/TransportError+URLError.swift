// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension TransportError {
    /// Returns the error to throw for an error from `URLSession`.
    ///
    /// Only a `URLError`'s code is retained, because the error contains the URL and its query.
    static func mapping(_ error: any Error, host: String) -> any Error {
        guard let error = error as? URLError else { return TransportError(.connectionLost, host: host) }
        return TransportError(Self.code(of: error), host: host, underlying: URLError(error.code))
    }

    private static func code(of error: URLError) -> Code {
        switch error.code {
        case .timedOut:
            .timedOut
        case .cannotFindHost, .dnsLookupFailed:
            .nameResolution
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            .cannotConnect
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            .tls
        case .badURL:
            .invalidURL
        case .appTransportSecurityRequiresSecureConnection:
            .insecureURL
        case .unsupportedURL, .badServerResponse, .unknown:
            Self.ambiguousCode(of: error)
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            .invalidResponse
        default:
            .connectionLost
        }
    }

    #if canImport(FoundationNetworking)
    // swift-corelibs-foundation maps libcurl's "unsupported protocol" to `unsupportedURL`. Because the scheme has
    // already been validated, this can only mean that the response is not HTTP. It maps "got nothing" to
    // `badServerResponse`, and errors that have no code of their own, including all TLS errors, to `unknown` with
    // libcurl's English text.
    private static func ambiguousCode(of error: URLError) -> Code {
        switch error.code {
        case .unsupportedURL: .invalidResponse
        case .unknown where ["SSL", "TLS", "certificate"].contains(where: error.localizedDescription.contains): .tls
        default: .connectionLost
        }
    }
    #else
    private static func ambiguousCode(of error: URLError) -> Code {
        switch error.code {
        case .unsupportedURL: .invalidURL
        case .badServerResponse: .invalidResponse
        default: .connectionLost
        }
    }
    #endif
}
