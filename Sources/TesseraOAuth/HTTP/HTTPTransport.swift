// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes

/// A type that sends HTTP requests.
///
/// Tessera accesses the network only through a transport. `HTTPTransportContract` in `TesseraTesting` verifies the
/// following requirements:
/// - Redirects are not followed. A 3xx response is returned like any other.
/// - No cookies, cache or additional credentials are used. The `Authorization` header is sent unchanged and only to the
///   server that the request is for.
/// - Only `https` is allowed, except for plain `http` to a loopback address if the transport was created with
///   ``Insecure/loopbackHTTP``. For any other URL, the transport throws ``TransportError`` with `insecureURL` before
///   anything is sent.
/// - Cancellation of the task ends the exchange and throws `CancellationError`.
/// - The transport limits the wait for the response head and the idle time between parts of a body (30 seconds each by
///   default). The caller is responsible for any total deadline.
/// - The body is a stream. Only data that has not been read yet is held in memory. When the body is released, the
///   transport closes or drains the connection.
/// - Failures throw ``TransportError``, which never contains a URL's query.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns the response's head and body.
    ///
    /// The request's `scheme`, `authority` and `path` form its URL.
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}

/// A transport's timeouts, after which it throws ``TransportError`` with `timedOut`.
///
/// Neither timeout is a total deadline, which is the caller's responsibility.
///
/// - SeeAlso: [RFC 9112, section 9.5](https://www.rfc-editor.org/rfc/rfc9112.html#section-9.5)
public struct TransportTimeouts: Sendable, Hashable {
    /// The maximum time to establish a connection, including name resolution and the TLS handshake.
    public var connect: Duration
    /// The maximum time without data in either direction.
    ///
    /// The time during which a transfer waits for the source of the request's body or the reader of the response's body
    /// does not count.
    public var idle: Duration

    /// Creates timeouts, by default 10 seconds to connect and 30 seconds without data.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        self.connect = connect
        self.idle = idle
    }
}

/// A certificate and private key that authenticate a client in the TLS handshake.
///
/// Use an identity for `tls_client_auth`, `self_signed_tls_client_auth` and certificate-bound access tokens. A
/// transport with an identity presents the certificate to every server that requests it. Use that transport only for
/// the provider and the APIs for which the certificate is intended.
///
/// - SeeAlso: [RFC 8705, sections 2 and 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-2)
public struct ClientIdentity: Sendable, Hashable {
    /// The client's certificate in PEM, followed by any intermediate certificates.
    public let certificateChain: String
    /// The certificate's private key in unencrypted PEM.
    public let privateKey: Secret

    /// Creates an identity, which is validated when you create a transport with it.
    public init(certificateChain: String, privateKey: Secret) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// The names and dates in the certificate that a server presented in the TLS handshake.
///
/// The values are not verified. Use them to explain a failed connection, never to trust one.
public struct ServerCertificate: Sendable, Hashable {
    /// The organization that signed the certificate, or its common name.
    public let issuer: String?
    /// The start of the certificate's validity.
    public let validFrom: Date
    /// The end of the certificate's validity.
    public let validUntil: Date

    /// Creates a description of a certificate.
    public init(issuer: String?, validFrom: Date, validUntil: Date) {
        self.issuer = issuer
        self.validFrom = validFrom
        self.validUntil = validUntil
    }
}
