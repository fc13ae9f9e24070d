// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// Asks for a code that a person enters on another device: for programs without a browser.
///
/// - SeeAlso: [RFC 8628, section 3.1](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1)
public struct DeviceAuthorizationRequest: EndpointRequest {
    /// `scope`.
    public var scopes: [Scope]
    /// `resource` (RFC 8707): absolute URIs of the APIs that the tokens are wanted for.
    public var resources: [String]
    /// More parameters; none of those that this type writes itself.
    public var additionalParameters: [String: String]
    /// Whether the page may be at a loopback address without TLS: for local providers.
    public var insecure: Insecure
    /// A device authorization.
    public var exchange: OAuthExchange { .deviceAuthorization }

    /// A request.
    public init(
        scopes: [Scope],
        resources: [String] = [],
        additionalParameters: [String: String] = [:],
        insecure: Insecure = []
    ) {
        self.scopes = scopes
        self.resources = resources
        self.additionalParameters = additionalParameters
        self.insecure = insecure
    }

    /// The request, ready to be sent; `client_id` is in the body in any case, as some providers want it.
    ///
    /// - Throws: ``InvalidRequestError``; `missingMetadata` without a device authorization endpoint.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        let endpoint = try client.endpoint(\.deviceAuthorizationEndpoint, "device_authorization_endpoint")
        if self.scopes.contains(.openID) { try client.checkIDTokenAlgorithms() }
        var form = FormParameters()
        form.append("client_id", client.client.clientID)
        try form.append(scopes: self.scopes)
        try form.append(resources: self.resources)
        try form.append(additional: self.additionalParameters.sorted { $0.key < $1.key })
        return try client.post(form, to: endpoint)
    }

    /// Turns the answer into what the person has to do.
    ///
    /// - Throws: ``OAuthError``, ``HTTPStatusError``; `deviceAuthorization` for missing members, for an address that
    ///   is not https, and for an interval that cannot be followed.
    public func answer(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> DeviceAuthorization {
        try OAuthErrorResponse.check(response, body: body, endpoint: "device authorization endpoint")
        let fields = try JSONFields(
            parsing: body,
            rule: .deviceAuthorization,
            section: "RFC 8628, section 3.2",
            subject: "the device authorization"
        )
        return try DeviceAuthorization(fields, insecure: self.insecure, uptime: client.runtime.uptime())
    }
}
