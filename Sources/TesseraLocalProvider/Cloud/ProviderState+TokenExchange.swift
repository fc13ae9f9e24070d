// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension ProviderState {
    private static let tokenTypes = "urn:ietf:params:oauth:token-type:"
    private static let accessTokenType = Self.tokenTypes + "access_token"

    /// Exchanges a subject token for an access token (RFC 8693, section 2).
    mutating func tokenExchange(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        let form = try Self.form(request)
        if request.headers[.authorization] != nil { _ = try self.authenticatedClient(request, form) }
        guard try Self.requiredValue("grant_type", form) == "urn:ietf:params:oauth:grant-type:token-exchange" else {
            throw TokenFailure("unsupported_grant_type", "The grant type must be token-exchange.")
        }
        guard try Self.requiredValue("requested_token_type", form) == Self.accessTokenType else {
            throw .invalidRequest("The requested token type must be access_token.")
        }
        let subjectToken = try Self.requiredValue("subject_token", form)
        let type = try Self.requiredValue("subject_token_type", form)
        let options = try Self.options(form)
        if type == Self.accessTokenType { return try self.downscoping(of: subjectToken, options) }
        let audience = try Self.requiredValue("audience", form)
        guard let pool = Self.pool(audience) else {
            throw .invalidRequest("Invalid value for \"audience\".")
        }
        let scopes = try Self.requiredValue("scope", form).split(separator: " ").map(String.init)
        guard self.isAccepted(subjectToken, type, audience: audience) else {
            throw Self.invalidGrant("The subject token is not valid for the given type and audience.")
        }
        let subject = "principal://iam.googleapis.com/\(pool)/subject/local"
        let token = self.issueToken(to: subject, by: audience, scopes: scopes)
        return .json(
            .members([
                "access_token": token.text, "issued_token_type": Self.accessTokenType, "token_type": "Bearer",
                "expires_in": self.behavior.omitsExpiry ? nil : token.deadline - self.now,
            ])
        )
    }

    /// Returns the pool in the audience of an identity provider, or `nil` if the audience is malformed.
    private static func pool(_ audience: String) -> String? {
        let form =
            #/
            //iam\.[^/]+/
            ((?:projects/[0-9]+/)?locations/[^/]+/(?:workloadIdentity|workforce)Pools/[^/]+)
            /providers/[^/]+
            /#
        return audience.wholeMatch(of: form).map { String($0.1) }
    }

    /// Returns the Google-specific options, which are percent-encoded JSON, or `nil` if there are none.
    private static func options(_ form: FormParameters) throws(TokenFailure) -> JSONValue? {
        guard let text = form["options"] else { return nil }
        guard let bytes = PercentEncoding.decode(text.utf8, isStrict: true),
            let options = try? JSONValue(parsing: bytes), options.kind == .object
        else { throw .invalidRequest("The options are not a percent-encoded JSON object.") }
        return options
    }

    private func isAccepted(_ token: String, _ type: String, audience: String) -> Bool {
        guard let cloud else { return false }
        switch type {
        case "urn:ietf:params:aws:token-type:aws4_request":
            return AWSSignedRequest(token)?.isValid(for: audience, signedWith: cloud.options.aws) ?? false
        case Self.tokenTypes + "mtls":
            // The provider does not request client certificates, so only the format of the list is checked.
            let certificates = (try? JSONValue(parsing: token))?.elements
            return certificates?.isEmpty == false
                && certificates?.allSatisfy { $0.string.flatMap { Base64.decode($0.utf8) } != nil } == true
        case _ where type.hasPrefix(Self.tokenTypes):
            let isKnown = ["jwt", "id_token", "saml2"].contains(type.dropFirst(Self.tokenTypes.count))
            return isKnown && token == cloud.options.subjectToken
        default:
            return false
        }
    }

    /// Exchanges an access token for one with fewer permissions.
    ///
    /// As with Google, the response contains `expires_in` only for a token of a service account.
    ///
    /// - SeeAlso: [Credential Access Boundaries](https://cloud.google.com/iam/docs/downscoping-short-lived-credentials)
    private mutating func downscoping(
        of text: String,
        _ options: JSONValue?
    ) throws(TokenFailure) -> ProviderResponse {
        guard let token = self.accessTokens.entry(text, at: self.now) else {
            throw Self.invalidGrant("The subject token is expired, revoked or malformed.")
        }
        let rules = options?["accessBoundary"]?["accessBoundaryRules"]?.elements.map(Array.init) ?? []
        guard (1...10).contains(rules.count), rules.allSatisfy(Self.isBoundaryRule) else {
            throw .invalidRequest("The access boundary must have between 1 and 10 rules with resource and permissions.")
        }
        var narrow = token
        narrow.family = self.nextFamily
        self.nextFamily += 1
        let isServiceAccount = self.cloud?.account(token.authorization.subject) != nil
        return .json(
            .members([
                "access_token": self.issue(narrow), "issued_token_type": Self.accessTokenType, "token_type": "Bearer",
                "expires_in": isServiceAccount ? token.deadline - self.now : nil,
            ])
        )
    }

    private static func isBoundaryRule(_ rule: JSONValue) -> Bool {
        let permissions = rule["availablePermissions"]?.elements.map { $0.map(\.string) } ?? []
        let condition = rule["availabilityCondition"]
        return rule["availableResource"]?.string?.hasPrefix("//storage.googleapis.com/") ?? false
            && !permissions.isEmpty && permissions.allSatisfy { $0?.hasPrefix("inRole:") ?? false }
            && (condition == nil || condition?["expression"]?.string?.isEmpty == false)
    }

    /// Refreshes the access token of a workforce identity, whose client must authenticate.
    mutating func workforceRefresh(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        let form = try Self.form(request)
        guard form["grant_type"] == "refresh_token" else {
            throw TokenFailure("unsupported_grant_type", "The grant type must be refresh_token.")
        }
        return try self.refresh(form, try self.authenticatedClient(request, form))
    }

    /// Returns information about an access token to an authenticated client (RFC 7662).
    func introspection(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        let form = try Self.form(request)
        _ = try self.authenticatedClient(request, form)
        let text = try Self.requiredValue("token", form)
        guard let token = self.accessTokens.entry(text, at: self.now) else { return .json(["active": false]) }
        let authorization = token.authorization
        return .json(
            .members([
                "active": true, "client_id": authorization.clientID, "username": authorization.subject,
                "sub": authorization.subject, "scope": authorization.scopes.joined(separator: " "),
                "exp": token.deadline, "iss": "https://sts.googleapis.com/", "token_type": "Bearer",
            ])
        )
    }
}
#endif
