// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// A transport that replaces the gateway that terminates TLS in front of a provider.
///
/// FAPI 2.0 permits only https. The gateway forwards requests to the provider on loopback in plain HTTP, together with
/// the host of the URL and the thumbprint of the client's certificate. Like a real gateway, it requests a certificate
/// only at ``certificateHost``.
struct GatewayTransport: HTTPTransport {
    static let host = "as.example"
    static let certificateHost = "mtls.as.example"
    /// The thumbprint of the client's certificate.
    static let certificate = "certificate-thumbprint"

    private let transport: any HTTPTransport
    private let authority: String
    private let presentsCertificate: Bool

    /// Creates a transport to a provider.
    init(_ transport: any HTTPTransport, to server: HostileServer, presentsCertificate: Bool) {
        self.transport = transport
        self.authority = "127.0.0.1:\(server.port)"
        self.presentsCertificate = presentsCertificate
    }

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        #expect(request.scheme == "https")
        var forwarded = request
        forwarded.scheme = "http"
        forwarded.authority = self.authority
        forwarded.headerFields[field: "X-Forwarded-Host"] = request.authority
        if self.presentsCertificate, request.authority == Self.certificateHost {
            forwarded.headerFields[field: "X-Client-Certificate"] = Self.certificate
        }
        return try await self.transport.send(forwarded, body: body)
    }
}

extension RecordedRequest {
    /// The host of the URL before the gateway forwarded the request, or nil if there is no gateway.
    var gatewayHost: String? { self.head.headerFields[field: "X-Forwarded-Host"] }
    /// The thumbprint of the certificate that the client presented to the gateway.
    var clientCertificate: String? { self.head.headerFields[field: "X-Client-Certificate"] }
}

extension HTTPFields {
    /// The value of the field with this name.
    subscript(field name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { if let name = HTTPField.Name(name) { self[name] = newValue } }
    }
}
