// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes

/// Sends one HTTP request and returns its response: the only door to the network.
///
/// The contract, which `HTTPTransportContract` of `TesseraTesting` checks:
/// - redirects are not followed: a 3xx answer is a response like any other;
/// - no cookies, no cache, no credentials added, the `Authorization` header is sent as given and to nobody else;
/// - only `https`; plain `http` only to a loopback address and only when the transport was made with
///   ``Insecure/loopbackHTTP``; otherwise ``TransportError`` `insecureURL`, before anything is sent;
/// - the task's cancellation ends the exchange and throws `CancellationError`;
/// - the transport bounds the wait for the response head and the idle time between parts of a body (a default of
///   30 seconds each); a total deadline is the caller's;
/// - the body is a stream: nothing is held in memory but what the reader has not taken yet; letting go of it closes
///   the connection or drains it, as the transport sees fit;
/// - failures are ``TransportError``, never text with a URL's query in it.
public protocol HTTPTransport: Sendable {
    /// Sends `request`, whose `scheme`, `authority` and `path` make the URL, with `body`, and returns the response's
    /// head and its body.
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody)
}

/// How long a transport waits for the network before it throws ``TransportError`` `timedOut`.
///
/// Neither is a total deadline: that is the caller's.
///
/// - SeeAlso: [RFC 9112, section 9.5](https://www.rfc-editor.org/rfc/rfc9112.html#section-9.5)
public struct TransportTimeouts: Sendable, Hashable {
    /// The longest time to make a connection, name resolution and TLS handshake included.
    public var connect: Duration
    /// The longest silence of the server: before the response's head, and between two parts of its body.
    public var idle: Duration

    /// Timeouts; 10 seconds to connect and 30 seconds of silence unless told otherwise.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        self.connect = connect
        self.idle = idle
    }
}

/// A certificate with its private key, by which a transport shows in the TLS handshake who the client is.
///
/// For `tls_client_auth`, `self_signed_tls_client_auth` and access tokens that are bound to a certificate. A transport
/// that was made with one shows it to every server that asks, so keep that transport for the provider and the APIs that
/// the certificate is meant for.
///
/// - SeeAlso: [RFC 8705, sections 2 and 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-2)
public struct ClientIdentity: Sendable, Hashable {
    /// The client's certificate, then those between it and its authority, in PEM.
    public let certificateChain: String
    /// The certificate's private key in PEM, not encrypted.
    public let privateKey: Secret

    /// An identity; what is in the texts is looked at when a transport is made with it.
    public init(certificateChain: String, privateKey: Secret) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Names and dates of the certificate that a server presents in its TLS handshake, as they are written in it.
///
/// Nothing is verified: use it to explain a failed connection, never to trust one.
public struct ServerCertificate: Sendable, Hashable {
    /// The organization that signed the certificate, or else its common name.
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
