// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import TesseraOAuth

extension TransportError {
    /// Returns the error to throw for an error from async-http-client, SwiftNIO or the request's body.
    static func mapping(_ error: any Error, host: String) -> any Error {
        switch error {
        case is CancellationError, is TransportError:
            error
        case let failure as RequestBodyFailure:
            failure.underlying
        case let error as HTTPClientError:
            // The descriptions of these errors contain field values, which may include a token.
            if error.shortDescription.hasPrefix("Invalid header field") {
                TransportError(.invalidURL, host: host)
            } else {
                TransportError(Self.code(of: error), host: host, underlying: error)
            }
        default:
            TransportError(Self.code(of: error), host: host, underlying: error)
        }
    }

    private static func code(of error: HTTPClientError) -> Code {
        switch error {
        case .readTimeout, .writeTimeout, .deadlineExceeded, .connectTimeout, .tlsHandshakeTimeout,
            .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .timedOut
        // All connections to the host are in use, so nothing was sent.
        case .getConnectionFromPoolTimeout:
            .cannotConnect
        case .invalidURL, .emptyHost, .emptyScheme:
            .invalidURL
        case .alreadyShutdown, .invalidProxyResponse:
            .cannotConnect
        case .proxyAuthenticationRequired:
            .unusableProxy
        default:
            .connectionLost
        }
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        // Handshakes fail with `handshakeFailed`. An established connection reports these errors, after a request may have
        // been sent.
        case NIOSSLError.uncleanShutdown, NIOSSLError.shutdownFailed, is BoringSSLError:
            .connectionLost
        case is NIOSSLError, is NIOSSLExtraError:
            .tls
        case ChannelError.connectTimeout:
            .timedOut
        case let error as NIOConnectionError:
            Self.code(of: error)
        case SocketAddressError.unknown:
            .nameResolution
        case let error as IOError:
            [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL].contains(error.errnoCode)
                ? .cannotConnect : .connectionLost
        case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection:
            .connectionLost
        case is HTTPParserError:
            .invalidResponse
        default:
            Self.codeOnApple(of: error) ?? .connectionLost
        }
    }

    private static func code(of error: NIOConnectionError) -> Code {
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            return .nameResolution
        }
        // TLS is set up while connecting, and its error is more specific than the connection error.
        let codes = error.connectionErrors.map { Self.code(of: $0.error) }
        return codes.first { $0 == .tls || $0 == .timedOut } ?? .cannotConnect
    }

    #if canImport(Network)
    private static func codeOnApple(of error: any Error) -> Code? {
        switch error {
        case is HTTPClient.NWTLSError: .tls
        // Established connections report other errors in the same way, after a request may have been sent.
        case let error as HTTPClient.NWPOSIXError: error.errorCode == .ECONNREFUSED ? .cannotConnect : .connectionLost
        default: nil
        }
    }
    #else
    private static func codeOnApple(of error: any Error) -> Code? { nil }
    #endif
}
#endif
