// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJOSE
internal import TesseraJSON

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension LocalProvider {
    /// The most recent requests to cloud endpoints, oldest first, of which at most 10,000 are stored.
    ///
    /// Rejected requests and requests with a fault are included. Requests to Drive and Gmail are not.
    public var cloudRequests: [LocalCloudRequest] { self.withState { $0.cloud?.requests ?? [] } }

    /// Removes all requests from ``cloudRequests``.
    public func removeCloudRequests() { self.withState { $0.cloud?.requests = [] } }

    /// The service accounts with their keys, or an empty array if ``LocalProviderOptions/cloud`` is `nil`.
    public var serviceAccounts: [LocalServiceAccount] { self.withState { $0.cloud?.accounts ?? [] } }

    /// The provider's host and port, which is the value of the environment variable `GCE_METADATA_HOST`.
    public var metadataHost: String { self.withState { String($0.baseURL.drop { $0 != "/" }.dropFirst(2)) } }

    /// Returns the URL of an endpoint on this provider, such as `/cloud/sts.googleapis.com/v1/token` for the URL
    /// `https://sts.googleapis.com/v1/token`.
    ///
    /// Use it in credential files for clients that do not reroute requests. A client can also connect to the provider
    /// and send the original path and `Host` field.
    public func cloudURL(for url: String) -> String {
        self.baseURL + "/cloud/" + url.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    }

    /// Returns a service account's key file, in the format that Google's console uses.
    ///
    /// - Parameters:
    ///   - account: The email address of the service account, or `nil` for the first one.
    ///   - tokenURI: The URL of the token endpoint, or `nil` for the endpoint of this provider.
    /// - Returns: The contents of the file, or `nil` if the account does not exist.
    public func serviceAccountKeyFile(for account: String? = nil, tokenURI: String? = nil) -> String? {
        guard let cloud = self.withState({ $0.cloud }), let account = account ?? cloud.accounts.first?.email,
            let found = cloud.account(account), let key = found.key
        else { return nil }
        let tokenURI = tokenURI ?? self.cloudURL(for: "https://oauth2.googleapis.com/token")
        let members = JSONNode.members([
            "type": "service_account", "project_id": cloud.options.projectID, "private_key_id": key.keyID,
            "private_key": key.pemRepresentation + "\n", "client_email": found.email, "client_id": found.uniqueID,
            "auth_uri": self.baseURL + "/o/oauth2/auth", "token_uri": tokenURI,
            "auth_provider_x509_cert_url": self.baseURL + "/oauth2/v1/certs",
            "universe_domain": cloud.options.universeDomain,
        ])
        return members.text(pretty: true) + "\n"
    }

    /// Returns an `authorized_user` file of the first account, like `gcloud auth application-default login` writes it.
    public var authorizedUserFile: String? {
        guard let cloud = self.withState({ $0.cloud }) else { return nil }
        let members = JSONNode.members([
            "type": "authorized_user", "client_id": self.clientID, "client_secret": self.clientSecret,
            "refresh_token": cloud.options.userRefreshToken, "universe_domain": cloud.options.universeDomain,
        ])
        return members.text(pretty: true) + "\n"
    }

    /// Returns an assertion of Identity-Aware Proxy, which is the value of `x-goog-iap-jwt-assertion`.
    ///
    /// - Throws: ``LocalProviderError`` if ``LocalProviderOptions/cloud`` is `nil`, or any error that the cryptography
    ///   library throws.
    public func identityAwareProxyAssertion(audience: String, account: LocalProviderAccount) throws -> String {
        guard let (now, key) = self.withState({ state in state.cloud.map { (state.now, $0.proxyKey) } }) else {
            throw LocalProviderError(.invalidOption, "The provider has no cloud endpoints.")
        }
        let claims = JSONNode.members([
            "iss": "https://cloud.google.com/iap", "aud": audience, "iat": now, "exp": now + 600,
            "sub": "accounts.google.com:" + account.subject, "email": account.email, "hd": account.hostedDomain,
        ])
        return try key.sign(payload: claims.serialized(), type: "JWT")
    }
}
#endif
