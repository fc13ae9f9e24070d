// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import HTTPTypes
internal import TesseraOAuth

/// Asks the token endpoint for tokens, by any grant type.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
open class OIDTokenRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// `grant_type`.
    public var grantType: String { self.required("grant_type") }
    /// `code`.
    public var authorizationCode: String? { self["code"] }
    /// `redirect_uri`, the same as that of the authorization request.
    public var redirectURL: URL? { self["redirect_uri"] }
    /// `client_id`.
    public var clientID: String { self.required("client_id") }
    /// The client's secret; it is sent in the `Authorization` header.
    public var clientSecret: String? { self["client_secret"] }
    /// `scope`: the scopes with a space between.
    public var scope: String? { self["scope"] }
    /// `refresh_token`.
    public var refreshToken: String? { self["refresh_token"] }
    /// `code_verifier` (RFC 7636, section 4.5).
    public var codeVerifier: String? { self["code_verifier"] }
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public var additionalParameters: [String: String]? { self["additionalParameters"] }
    /// The program's own headers; nil where none were given.
    public var additionalHeaders: [String: String]? { self["additionalHeaders"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// A request of which everything is given.
    ///
    /// Additional parameters may be texts, numbers, truth values and URLs; others are left out.
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

    /// Reads an archive; nil if the configuration, the grant type or the client is missing, or anything is of the wrong type.
    public required init?(coder: NSCoder) {
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
    /// The request as it is sent: a POST with a form.
    ///
    /// A client with a secret proves itself by HTTP Basic (RFC 6749, section 2.3.1), one without names itself in the form.
    /// No parameter is there twice, and the request's own come before the program's. The program's headers do not replace
    /// `Content-Type`, nor `Authorization` where there is a secret; one that no header can be is left out.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public func urlRequest() -> URLRequest {
        var request = URLRequest(url: self.configuration.tokenEndpoint)
        request.httpMethod = "POST"
        request.httpBody = Data(self.form.encoded.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        // By name: which of two spellings of one name is sent has not to be chance.
        for (name, value) in (self.additionalHeaders ?? [:]).sorted(by: { $0.key < $1.key }) {
            // A line break in a header would begin another one.
            guard HTTPField.Name(name) != nil, HTTPField.isValidValue(value) else { continue }
            request.setValue(value, forHTTPHeaderField: name)
        }
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if let clientSecret {
            let credentials = ClientAuthentication.basic(clientID: self.clientID, secret: Secret(clientSecret))
            request.setValue(credentials.withUnredacted { $0 }, forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// The parameters, in the order of sending.
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
    /// A request for the scopes of a list.
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
            scope: ScopeText.joined(scopes),
            refreshToken: refreshToken,
            codeVerifier: codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: additionalHeaders
        )
    }
}
