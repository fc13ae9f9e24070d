// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A workload or a user of another identity provider (workload and workforce identity federation).
///
/// - SeeAlso: [AIP-4117](https://google.aip.dev/auth/4117)
struct ExternalAccount: CredentialMethod {
    /// The name of the identity pool's provider (`audience`).
    let audience: String
    let subjectTokenType: String
    let tokenEndpoint: Endpoint
    let source: any SubjectTokenSource
    /// The client that authenticates the exchange, which workforce pools can require.
    let oauthClient: TokenServiceClient?
    let workforcePoolUserProject: String?

    var kind: GoogleCredentialKind { .externalAccount }

    /// Whether the audience is a workforce pool's and not a workload pool's.
    var isWorkforcePool: Bool { Self.isWorkforcePool(self.audience) }

    static func isWorkforcePool(_ audience: String) -> Bool {
        let prefix = "//iam.googleapis.com/locations/"
        guard audience.hasPrefix(prefix) else { return false }
        let parts = audience.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 3 && !parts[0].isEmpty && parts[1] == "workforcePools"
    }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        let context = SubjectTokenContext(audience: self.audience, subjectTokenType: self.subjectTokenType)
        let subjectToken = try await self.source.subjectToken(context, client)
        var request = TokenRequest.tokenExchange(
            subject: SecurityToken(subjectToken, type: TokenTypeIdentifier(rawValue: self.subjectTokenType)),
            audiences: [self.audience],
            requestedType: .accessToken,
            scopes: scopes,
            at: self.tokenEndpoint
        )
        if let oauthClient {
            oauthClient.authenticate(&request)
        } else if let project = self.workforcePoolUserProject {
            request.additionalParameters["options"] = Self.options(["userProject": .string(project)])
        }
        request.identifiesClient = false
        var client = client
        if let transport = try await self.source.transport(client) { client.runtime.transport = transport }
        // The user may have interacted with a program for the subject token.
        let begunAt = client.runtime.uptime()
        return IssuedToken(try await client.token(request, at: self.tokenEndpoint)).since(begunAt)
    }

    /// Returns options for the token service, which are percent-encoded JSON.
    static func options(_ options: JSONNode) -> String { PercentEncoding.encode(options.text()) }

    func email(_ client: CredentialClient) async throws -> String? { nil }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        guard let number = self.projectNumber ?? self.workforcePoolUserProject, !scopes.isEmpty else { return nil }
        let url = try client.trust.service(
            "cloudresourcemanager",
            path: "/v1/projects/" + PercentEncoding.encode(number)
        )
        var request = ServiceRequest("project", server: "The Resource Manager", url: url)
        request.authorize(with: try await token.accessToken(), quotaProject: token.quotaProject)
        return try await client.response(to: request).fields("the project").string("projectId")
    }

    private var projectNumber: String? {
        let parts = self.audience.split(separator: "/", omittingEmptySubsequences: false)
        guard let index = parts.firstIndex(of: "projects"), index + 1 < parts.count else { return nil }
        return parts[index + 1].isEmpty ? nil : String(parts[index + 1])
    }
}

/// A client that authenticates itself to Google's token service.
struct TokenServiceClient: Sendable {
    let clientID: String
    let clientSecret: Secret

    /// Adds the client's ID and secret to a request.
    ///
    /// Google's libraries do not form-encode them first, unlike RFC 6749, section 2.3.1.
    func authenticate(_ request: inout TokenRequest) {
        let credentials = self.clientSecret.withUnredacted { Base64.encode(Array("\(self.clientID):\($0)".utf8)) }
        request.headerFields["Authorization"] = "Basic " + credentials
        request.identifiesClient = false
    }
}

/// The identity pool and the type for which a subject token is requested.
public struct SubjectTokenContext: Sendable, Hashable {
    /// The name of the identity pool's provider.
    public let audience: String
    /// The type of the subject token, a URI.
    public let subjectTokenType: String

    /// Creates a context.
    public init(audience: String, subjectTokenType: String) {
        self.audience = audience
        self.subjectTokenType = subjectTokenType
    }
}

/// A source of the tokens that an external account exchanges for Google's.
protocol SubjectTokenSource: Sendable {
    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret
    /// Returns a transport with a client certificate, or nil to use the usual transport.
    func transport(_ client: CredentialClient) async throws -> (any HTTPTransport)?
}

extension SubjectTokenSource {
    func transport(_ client: CredentialClient) async throws -> (any HTTPTransport)? { nil }
}

/// A source that calls the caller's closure.
struct SubjectTokenClosure: SubjectTokenSource {
    let closure: @Sendable (SubjectTokenContext) async throws -> Secret

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        try await self.closure(context)
    }
}
