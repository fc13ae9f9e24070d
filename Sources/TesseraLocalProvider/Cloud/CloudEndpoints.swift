// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

extension Endpoint {
    private static let iam = "/cloud/iamcredentials/v1/projects/-/serviceAccounts/{email}"
    private static let metadata = "/cloud/metadata/computeMetadata/v1"
    private static let account = Self.metadata + "/instance/service-accounts/{account}"
    private static let aws = "/cloud/metadata/latest"

    /// The endpoints for credentials without a user, at the paths to which ``CloudGate`` maps requests.
    static let cloud = [
        Self([.post], "/cloud/sts/v1/token") { try $0.tokenExchange($1) },
        Self([.post], "/cloud/sts/v1/oauthtoken") { try $0.workforceRefresh($1) },
        Self([.post], "/cloud/sts/v1/introspect") { try $0.introspection($1) },
        Self([.post], "/cloud/sts/v1/revoke") { try $0.revocation($1) },

        Self([.post], Self.iam + ":generateAccessToken") { try $0.generateAccessToken($1) },
        Self([.post], Self.iam + ":generateIdToken") { try $0.generateIDToken($1) },
        Self([.post], Self.iam + ":signBlob") { try $0.signBlob($1) },
        Self([.post], Self.iam + ":signJwt") { try $0.signJWT($1) },
        Self(
            [.get],
            Self.iam + "/allowedLocations",
            "/cloud/iamcredentials/v1/locations/global/workforcePools/{pool}/allowedLocations",
            "/cloud/iamcredentials/v1/projects/{project}/locations/global/workloadIdentityPools/{pool}/allowedLocations"
        ) { try $0.allowedLocations($1) },
        Self([.get], "/cloud/cloudresourcemanager/v1/projects/{project}") { try $0.project($1) },

        Self([.get], "/cloud/metadata") { try $0.metadata($1) { _ in "computeMetadata/\n" } },
        Self([.get], Self.metadata) { try $0.metadata($1) { _ in "instance/\noslogin/\nproject/\n" } },
        Self([.get], Self.account) { try $0.metadataAccountInformation($1) },
        Self([.get], Self.account + "/email") { try $0.metadataEmail($1) },
        Self([.get], Self.account + "/scopes") { try $0.metadataScopes($1) },
        Self([.get, .post], Self.account + "/token") { try $0.metadataToken($1) },
        Self([.get], Self.account + "/identity") { try $0.metadataIdentity($1) },
        Self([.get], Self.metadata + "/project/project-id") { try $0.metadata($1) { $0.projectID } },
        Self([.get], Self.metadata + "/project/numeric-project-id") { state, request in
            try state.metadata(request) { String($0.projectNumber) }
        },
        Self([.get], Self.metadata + "/universe/universe-domain") { try $0.metadata($1) { $0.universeDomain } },
        Self([.get], Self.metadata + "/instance/zone") { state, request in
            try state.metadata(request) { "projects/\($0.projectNumber)/zones/\($0.zone)" }
        },

        Self([.put], Self.aws + "/api/token") { try $0.awsSession($1) },
        Self([.get], Self.aws + "/meta-data/placement/availability-zone") { try $0.awsZone($1) },
        Self([.get], Self.aws + "/meta-data/iam/security-credentials") { try $0.awsRole($1) },
        Self([.get], Self.aws + "/meta-data/iam/security-credentials/{role}") { try $0.awsSecurityCredentials($1) },

        Self([.get], "/subject-token") { state, request in state.subjectToken(request) },
        Self([.get], "/cloud/gstatic/iap/verify/public_key-jwk") { state, _ in state.proxyKeys() },
        Self([.get], "/service_accounts/v1/jwk/{email}") { state, request in try state.accountKeys(request) },
        Self([.get, .delete], "/_tessera/cloud/requests") { state, request in state.recordedRequests(request) },
    ]
}

extension ProviderState {
    /// Returns the public key of Identity-Aware Proxy.
    func proxyKeys() -> ProviderResponse {
        Self.cacheable(.json(.members(["keys": (self.cloud?.proxyKey.publicJWK).map { [$0] } ?? []])))
    }

    /// Returns the public key of a service account.
    func accountKeys(_ request: ProviderRequest) throws -> ProviderResponse {
        let email = request.parameter("email").replacing("%40", with: "@")
        guard let key = self.cloud?.account(email)?.key else { throw HTTPFailure.notFound }
        return Self.cacheable(.json(.members(["keys": [key.publicJWK]])))
    }

    /// Returns the recorded requests, or removes them if the method is DELETE.
    mutating func recordedRequests(_ request: ProviderRequest) -> ProviderResponse {
        let requests = self.cloud?.requests ?? []
        if request.method == .delete { self.cloud?.requests = [] }
        return .json(.array(request.method == .delete ? [] : requests.map(\.node)))
    }
}
#endif
