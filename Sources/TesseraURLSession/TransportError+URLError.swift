// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension TransportError {
    /// What the caller gets for an error of `URLSession`.
    ///
    /// `URLError` carries the URL, query included: only its code goes on.
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
    // swift-corelibs-foundation turns libcurl's "unsupported protocol" into unsupportedURL, which here, where the scheme
    // was checked before, can only be an answer that is not HTTP; "got nothing" into badServerResponse; and what it has
    // no code for, every failure of TLS among it, into unknown with libcurl's own, English, text.
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
