// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// What a person has to do on another device: open an address, and enter a code there.
///
/// Show ``verificationURI`` and ``userCode``, always both; ``verificationURIComplete``, where there is one, as a link or
/// a QR code beside them. Then ask for the decision: ``RegisteredClient/tokens(for:)-(DeviceAuthorization)``.
///
/// - SeeAlso: [RFC 8628, sections 3.2 and 3.3](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2)
public struct DeviceAuthorization: Sendable {
    /// `device_code`: what this program asks with; not for the person.
    public let deviceCode: Secret
    /// `user_code`: what the person enters; of printable characters, at most 200.
    public let userCode: String
    /// `verification_uri` (Google: `verification_url`): where the person enters it; https.
    public let verificationURI: String
    /// `verification_uri_complete`: the same with the code in it; https.
    public let verificationURIComplete: String?
    /// `expires_in`: how long the codes are good, in seconds, from the answer on.
    public var expiresIn: Int64 { self.grant.expiresIn }
    /// `interval`: how long to wait between two questions, in seconds; 5 where the provider does not say, at least 1.
    public var interval: Int64 { self.grant.interval }
    /// The whole answer, for members that have no property.
    public let document: JSONValue
    package let grant: PendingGrant

    init(_ fields: JSONFields, insecure: Insecure, uptime: Int64) throws {
        let deviceCode = Secret(try fields.requiredString("device_code"))
        let userCode = try fields.requiredString("user_code")
        guard UntrustedText.printable(userCode) == userCode else {
            throw fields.violation("user_code of at most 200 printable characters", "other characters")
        }
        let name = fields.present("verification_uri") == nil ? "verification_url" : "verification_uri"
        guard let verificationURI = try fields.nonEmptyString(name) else {
            throw fields.violation("verification_uri in the device authorization", "none")
        }
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = try Self.address(verificationURI, name, insecure, fields)
        self.verificationURIComplete = try fields.string("verification_uri_complete")
            .map { uri in
                try Self.address(uri, "verification_uri_complete", insecure, fields)
            }
        self.document = fields.object
        self.grant = try PendingGrant(fields, request: .deviceCode(deviceCode), uptime: uptime)
    }

    /// An address that a program may open in a browser without looking at it again.
    private static func address(
        _ uri: String,
        _ name: String,
        _ insecure: Insecure,
        _ fields: JSONFields
    ) throws -> String {
        if let parts = URIParts(uri), parts.host != nil, parts.userinfo == nil, parts.isSecure(permitting: insecure) {
            return uri
        }
        // What stands before an @ may be a password.
        throw fields.violation("\(name) to be an https URL without a user name", uri.contains("@") ? nil : uri)
    }
}

extension TokenRequest {
    /// Asks once whether the person has decided; ``RegisteredClient/tokens(for:)-(DeviceAuthorization)`` asks until then.
    ///
    /// - Parameters:
    ///   - deviceCode: the code of the device authorization.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
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
    /// Asks until the person has decided on the other device, never faster than the provider allows.
    ///
    /// A network that fails and a provider that is busy are waited out. Cancel the task to give up: nothing is sent after
    /// that, and no tokens are returned.
    ///
    /// - Throws: ``OAuthError`` `access_denied` for a no; `expired_token` at the end of the codes' lifetime, whatever the
    ///   provider says then; any other error of the token endpoint; `CancellationError`.
    /// - SeeAlso: [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5)
    public func tokens(for authorization: DeviceAuthorization) async throws -> TokenResponse {
        try await self.decision(on: authorization.grant)
    }
}

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
        let fields = try JSONFields(parsing: body, rule: .deviceAuthorization, subject: "the device authorization")
        return try DeviceAuthorization(fields, insecure: self.insecure, uptime: client.runtime.uptime())
    }
}
