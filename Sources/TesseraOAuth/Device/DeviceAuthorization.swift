// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// A sign-in that the user completes on another device by opening a URL and entering a code.
///
/// Always show both ``verificationURI`` and ``userCode``. If ``verificationURIComplete`` is set, also show it as a link
/// or a QR code. Then poll for the decision with ``RegisteredClient/tokens(for:)-(DeviceAuthorization)``.
///
/// - SeeAlso: [RFC 8628, sections 3.2 and 3.3](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2)
public struct DeviceAuthorization: Sendable {
    /// The code that this client uses for polling (`device_code`), which must not be shown to the user.
    public let deviceCode: Secret
    /// The code that the user enters (`user_code`), which has at most 200 printable characters.
    public let userCode: String
    /// The https URL where the user enters the code (`verification_uri`, or `verification_url` for Google).
    public let verificationURI: String
    /// The https URL that includes the code (`verification_uri_complete`).
    public let verificationURIComplete: String?
    /// The lifetime of the codes, in seconds after the response (`expires_in`).
    public var expiresIn: Int64 { self.grant.expiresIn }
    /// The time between polling requests, in seconds (`interval`).
    ///
    /// It is at least 1 and defaults to 5.
    public var interval: Int64 { self.grant.interval }
    /// The whole response, including members that have no property.
    public let document: JSONValue
    package let grant: PolledGrant

    init(_ fields: JSONFields, insecure: Insecure, uptime: Int64) throws {
        let deviceCode = Secret(try fields.requiredString("device_code"))
        let userCode = try fields.requiredString("user_code")
        guard UntrustedText.printable(userCode) == userCode else {
            throw fields.violation("user_code of at most 200 printable characters", "other characters")
        }
        let name = fields.present("verification_uri") == nil ? "verification_url" : "verification_uri"
        guard let verificationURI = try fields.nonEmptyString(name) else {
            throw fields.violation("verification_uri in the device authorization response", "none")
        }
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = try Self.address(verificationURI, name, insecure, fields)
        self.verificationURIComplete = try fields.string("verification_uri_complete")
            .map { uri in
                try Self.address(uri, "verification_uri_complete", insecure, fields)
            }
        self.document = fields.object
        self.grant = try PolledGrant(fields, request: .deviceCode(deviceCode), uptime: uptime)
    }

    /// Returns a URL that a program can open in a browser without further checks.
    private static func address(
        _ uri: String,
        _ name: String,
        _ insecure: Insecure,
        _ fields: JSONFields
    ) throws -> String {
        if let parts = URIParts(uri), parts.host != nil, parts.userinfo == nil, parts.isSecure(insecure: insecure) {
            return uri
        }
        // The text before an @ may be a password.
        throw fields.violation("\(name) to be an https URL without a user name", uri.contains("@") ? nil : uri)
    }
}

extension TokenRequest {
    /// Creates a request that polls once for the user's decision.
    ///
    /// ``RegisteredClient/tokens(for:)-(DeviceAuthorization)`` polls until there is a decision.
    ///
    /// - Parameters:
    ///   - deviceCode: The authorization's device code.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    /// - SeeAlso: [RFC 8628, section 3.4](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.4)
    public static func deviceCode(_ deviceCode: Secret, at tokenEndpoint: Endpoint? = nil) -> TokenRequest {
        TokenRequest(
            "urn:ietf:params:oauth:grant-type:device_code",
            ["device_code": deviceCode],
            at: tokenEndpoint
        )
    }
}

extension RegisteredClient {
    /// Polls until the user decides on the other device, and returns the tokens.
    ///
    /// This method never polls faster than the provider allows, and it continues after network failures and while the
    /// provider is busy. To stop polling, cancel the task. After that, no request is sent and no tokens are returned.
    ///
    /// - Throws: ``OAuthError`` with `access_denied` if the user denies the request, or `expired_token` when the
    ///   lifetime ends, regardless of the provider's response. Also throws any other error from the token endpoint, or
    ///   `CancellationError`.
    /// - SeeAlso: [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5)
    public func tokens(for authorization: DeviceAuthorization) async throws -> TokenResponse {
        try await self.decision(on: authorization.grant)
    }
}

/// A request for a code that the user enters on another device, for use in programs without a browser.
///
/// - SeeAlso: [RFC 8628, section 3.1](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1)
public struct DeviceAuthorizationRequest: EndpointRequest {
    /// The requested scopes (`scope`).
    public var scopes: [Scope]
    /// The APIs that the tokens are for (`resource`, RFC 8707), as absolute URIs.
    public var resources: [String]
    /// Additional parameters, which cannot replace parameters that this type sets.
    public var additionalParameters: [String: String]
    /// The permitted exceptions for the verification URL, such as plain http to a local provider.
    public var insecure: Insecure
    /// The kind of request for observers, ``OAuthExchange/deviceAuthorization``.
    public var exchange: OAuthExchange { .deviceAuthorization }

    /// Creates a request.
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

    /// Returns the message to send, which includes `client_id` in the body because some providers require it.
    ///
    /// - Throws: ``InvalidRequestError`` if the request is not valid, or `ProtocolViolationError` with
    ///   `missingMetadata` if there is no device authorization endpoint.
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

    /// Decodes the response.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` if the request failed, or `ProtocolViolationError` with
    ///   `deviceAuthorization` if a member is missing, a URL does not use https, or the interval is not acceptable.
    public func decode(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> DeviceAuthorization {
        try ErrorResponseParser.check(response, body: body, endpoint: "device authorization endpoint")
        let fields = try JSONFields(
            parsing: body,
            rule: .deviceAuthorization,
            subject: "the device authorization response"
        )
        return try DeviceAuthorization(fields, insecure: self.insecure, uptime: client.runtime.uptime())
    }
}
