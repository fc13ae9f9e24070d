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
        return TransportError(Self.code(of: error.code), host: host, underlying: URLError(error.code))
    }

    private static func code(of code: URLError.Code) -> Code {
        switch code {
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
        case .badURL, .unsupportedURL:
            .invalidURL
        case .appTransportSecurityRequiresSecureConnection:
            .insecureURL
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            .invalidResponse
        default:
            .connectionLost
        }
    }
}
