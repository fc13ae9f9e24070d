// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// A request to the token endpoint, for any grant type.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
open class OIDTokenRequest: AppAuthValue, @unchecked Sendable {
    /// The provider's endpoints.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// The `grant_type` parameter, such as ``OIDGrantTypeRefreshToken``.
    public var grantType: String { self.required("grant_type") }
    /// The authorization code (`code`).
    public var authorizationCode: String? { self["code"] }
    /// The redirect URL from the authorization request (`redirect_uri`).
    public var redirectURL: URL? { self["redirect_uri"] }
    /// The client identifier (`client_id`).
    public var clientID: String { self.required("client_id") }
    /// The client secret, which is sent in the `Authorization` header.
    public var clientSecret: String? { self["client_secret"] }
    /// The scopes, separated by spaces (`scope`).
    public var scope: String? { self["scope"] }
    /// The refresh token (`refresh_token`).
    public var refreshToken: String? { self["refresh_token"] }
    /// The PKCE code verifier (`code_verifier`, RFC 7636, section 4.5).
    public var codeVerifier: String? { self["code_verifier"] }
    /// The app's additional parameters, converted to strings.
    ///
    /// They are empty, and not nil, if there are none.
    public var additionalParameters: [String: String]? { self["additionalParameters"] ?? [:] }
    /// The app's additional headers.
    ///
    /// They are empty, and not nil, if there are none.
    public var additionalHeaders: [String: String]? { self["additionalHeaders"] ?? [:] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a token request.
    ///
    /// Additional parameters can be strings, numbers, Booleans or URLs. Other values are ignored.
    public init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode: String? = nil,
        redirectURL: URL? = nil,
        clientID: String,
        clientSecret: String? = nil,
        scope: String? = nil,
        refreshToken: String? = nil,
        codeVerifier: String? = nil,
        additionalParameters: [String: Any]? = nil,
        additionalHeaders: [String: String]? = nil
    ) {
        let values: [String: (any ArchivedValue)?] = [
            "configuration": configuration, "grant_type": grantType, "code": authorizationCode, "client_id": clientID,
            "client_secret": clientSecret, "redirect_uri": redirectURL, "scope": scope, "refresh_token": refreshToken,
            "code_verifier": codeVerifier, "additionalParameters": TextParameters.texts(additionalParameters),
            "additionalHeaders": additionalHeaders,
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a request, or returns nil if the configuration, grant type or client identifier is missing or a value
    /// has the wrong type.
    ///
    /// The result is implicitly unwrapped for compatibility with AppAuth.
    public required init!(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: [
            "configuration": OIDServiceConfiguration.self, "grant_type": String.self, "client_id": String.self,
        ],
        optional: [
            "code": String.self, "client_secret": String.self, "redirect_uri": URL.self, "scope": String.self,
            "refresh_token": String.self, "code_verifier": String.self,
            "additionalParameters": [String: String].self, "additionalHeaders": [String: String].self,
        ]
    )

    override var facts: [(name: String, text: String?)] {
        [("client", self.clientID), ("grant type", self.grantType), ("scope", self.scope)]
    }
}

extension OIDTokenRequest {
    /// Returns the URL request, which is a POST request with a form.
    ///
    /// A client with a secret authenticates with HTTP Basic (RFC 6749, section 2.3.1). A client without a secret sends
    /// `client_id` in the form. The additional parameters follow the standard ones and cannot repeat them. The
    /// additional headers replace the others. Invalid headers are omitted.
    ///
    /// ``OIDAuthorizationService`` sends the same parameters and headers, but it encodes a space as `+`, and it sets
    /// `Accept`, `Content-Type` and, if there is a secret, `Authorization` itself.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public func urlRequest() -> URLRequest {
        var request = URLRequest(url: self.configuration.tokenEndpoint)
        request.httpMethod = "POST"
        request.httpBody = Data(self.form.percentEncoded.utf8)
        request.setValue("application/x-www-form-urlencoded; charset=UTF-8", forHTTPHeaderField: "Content-Type")
        if let clientSecret {
            let credentials = [self.clientID, clientSecret].map { OIDTokenUtilities.formUrlEncode($0) }
            let encoded = Data(credentials.joined(separator: ":").utf8).base64EncodedString()
            request.setValue("Basic \(encoded)", forHTTPHeaderField: "Authorization")
        }
        // Sort the headers, so that the result is deterministic even if two names differ only in case.
        for (name, value) in (self.additionalHeaders ?? [:]).sorted(by: { $0.key < $1.key }) {
            // A line break in a value could inject another header.
            guard HTTPField.Name(name) != nil, HTTPField.isValidValue(value) else { continue }
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// The parameters, in the order in which they are sent.
    var form: FormParameters {
        FormParameters(
            [
                "grant_type": self.grantType, "scope": self.scope, "redirect_uri": self.redirectURL?.absoluteString,
                "refresh_token": self.refreshToken, "code": self.authorizationCode, "code_verifier": self.codeVerifier,
                "client_id": self.clientSecret == nil ? self.clientID : nil,
            ],
            additional: self.additionalParameters
        )
    }
}

extension OIDTokenRequest {
    /// Creates a token request for a list of scopes.
    ///
    /// An empty list is sent as an empty `scope`.
    public convenience init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode: String?,
        redirectURL: URL?,
        clientID: String,
        clientSecret: String?,
        scopes: [String]?,
        refreshToken: String?,
        codeVerifier: String?,
        additionalParameters: [String: Any]?,
        additionalHeaders: [String: String]? = nil
    ) {
        self.init(
            configuration: configuration,
            grantType: grantType,
            authorizationCode: authorizationCode,
            redirectURL: redirectURL,
            clientID: clientID,
            clientSecret: clientSecret,
            scope: scopes.map { OIDScopeUtilities.scopes(with: $0) },
            refreshToken: refreshToken,
            codeVerifier: codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders
        )
    }
}
