// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

/// The cloud endpoints of a local provider without a socket.
struct CloudUnderTest {
    static let now: Int64 = 1_800_000_000
    static let audience =
        "//iam.googleapis.com/projects/104857600000/locations/global/workloadIdentityPools/pool/providers/oidc"
    static let scope = "https://www.googleapis.com/auth/cloud-platform"
    static let worker = LocalServiceAccount.samples[0].email
    static let robot = LocalServiceAccount.samples[1].email
    static let iam = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
    static let metadata = "http://metadata.google.internal/computeMetadata/v1/"
    /// A key that all tests share, because generating an RSA key is slow.
    private static let sharedKey = Result { try JWSSigningKey.generate(.rs256) }

    let service: ProviderService
    let key: JWSSigningKey
    private let router: ProviderRouter

    init(_ change: (inout LocalProviderOptions) -> Void = { _ in }) throws {
        self.key = try Self.sharedKey.get()
        let options = try Self.options(change)
        self.service = try ProviderService(options: options)
        self.service.withState { $0.baseURL = ProviderUnderTest.baseURL }
        self.router = ProviderRouter(self.service)
    }

    static func options(_ change: (inout LocalProviderOptions) -> Void = { _ in }) throws -> LocalProviderOptions {
        let key = try Self.sharedKey.get()
        var options = LocalProviderOptions()
        options.signingAlgorithm = .es256
        options.now = { Date(timeIntervalSince1970: Double(Self.now)) }
        var cloud = LocalCloudOptions()
        for index in cloud.serviceAccounts.indices { cloud.serviceAccounts[index].key = key }
        options.cloud = cloud
        change(&options)
        return options
    }

    /// Sends a request to the host of the URL, as a client does that reroutes it to the provider.
    func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ fields: [String: String] = [:],
        body: String = ""
    ) async -> ProviderResponse {
        let rest = url.drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { $0 != "/" }
        var headers = HTTPFields()
        for (name, value) in fields { headers[named: name] = value }
        let target = rest.dropFirst(authority.count)
        let request = ProviderRequest(
            method,
            target.isEmpty ? "/" : String(target),
            authority: String(authority),
            headers: headers,
            body: Array(body.utf8)
        )
        return await self.router.response(request)
    }

    func post(_ url: String, _ pairs: [String: String?], _ fields: [String: String] = [:]) async -> ProviderResponse {
        let form = pairs.compactMap { name, value in value.map { (name, $0) } }
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        return await self.send(.post, url, type.merging(fields) { _, own in own }, body: ProviderUnderTest.form(form))
    }

    /// Calls a method of the IAM Credentials API.
    func call(_ method: String, of account: String = Self.robot, _ body: JSONNode, token: String) async
        -> ProviderResponse
    {
        let fields = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        return await self.send(.post, "\(Self.iam)\(account):\(method)", fields, body: body.text())
    }

    func metadata(_ path: String, flavor: String? = "Google") async -> ProviderResponse {
        await self.send(.get, Self.metadata + path, flavor.map { ["Metadata-Flavor": $0] } ?? [:])
    }

    /// Returns an assertion of the worker with some claims changed, or omitted if nil.
    func assertion(_ changes: [String: JSONNode?] = [:], key: JWSSigningKey? = nil) throws -> String {
        var claims: [String: JSONNode] = [
            "iss": .string(Self.worker), "aud": "https://oauth2.googleapis.com/token",
            "iat": .integer(Self.now), "exp": .integer(Self.now + 3600), "scope": .string(Self.scope),
        ]
        for (name, value) in changes { claims[name] = value }
        let members = claims.map { JSONMember(name: $0.key, value: $0.value) }
        return try (key ?? self.key).sign(payload: JSONNode.object(members).serialized(), type: "JWT")
    }

    func grant(_ changes: [String: JSONNode?] = [:], key: JWSSigningKey? = nil) async throws -> ProviderResponse {
        await self.post(
            "https://oauth2.googleapis.com/token",
            [
                "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
                "assertion": try self.assertion(changes, key: key),
            ]
        )
    }

    /// Returns an access token of the worker.
    func token(_ changes: [String: JSONNode?] = [:]) async throws -> String {
        try #require(try await self.grant(changes).json["access_token"]?.string)
    }

    /// Sends a token exchange with some parameters changed, or omitted if nil.
    func exchange(
        _ changes: [String: String?] = [:],
        url: String = "https://sts.googleapis.com/v1/token"
    ) async -> ProviderResponse {
        var form: [String: String?] = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": Self.audience,
            "scope": Self.scope, "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "subject_token": "local-provider-subject-token",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        ]
        for (name, value) in changes { form[name] = value }
        return await self.post(url, form)
    }

    /// Returns the claims of an ID token after verifying its signature with the published keys.
    func claims(_ token: String?) async throws -> JSONValue {
        let keys = try JWKSet(parsing: await self.send(.get, "https://www.googleapis.com/oauth2/v3/certs").bytes)
        let token = try CompactJWS(parsing: try #require(token))
        try token.verify(with: keys, algorithms: [.es256])
        return try token.claims()
    }

    func subject(of token: String?) throws -> String {
        let token = try #require(token)
        let found = self.service.withState { $0.accessTokens.entry(token, at: $0.now) }
        return try #require(found).authorization.subject
    }
}
#endif
