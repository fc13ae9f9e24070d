// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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

    init(_ fields: JSONFields, insecure: Insecure, uptime: Int64) throws(ProtocolViolationError) {
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
            .map { (uri) throws(ProtocolViolationError) in
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
    ) throws(ProtocolViolationError) -> String {
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
