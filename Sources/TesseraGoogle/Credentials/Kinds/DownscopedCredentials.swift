// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The resources and roles that a downscoped token is restricted to.
///
/// - SeeAlso: [Downscope with Credential Access Boundaries](https://cloud.google.com/iam/docs/downscoping-short-lived-credentials)
public struct CredentialAccessBoundary: Sendable, Hashable {
    /// The rules, of which there are 1 to 10.
    public var rules: [Rule]

    /// Creates a boundary.
    public init(rules: [Rule]) { self.rules = rules }

    /// Access to one resource.
    public struct Rule: Sendable, Hashable {
        /// The full resource name, such as `//storage.googleapis.com/projects/_/buckets/name`.
        public var availableResource: String
        /// The roles, each with the prefix `inRole:`.
        public var availablePermissions: [String]
        /// The condition that restricts the rule.
        public var availabilityCondition: Condition?

        /// Creates a rule.
        public init(
            availableResource: String,
            availablePermissions: [String],
            availabilityCondition: Condition? = nil
        ) {
            self.availableResource = availableResource
            self.availablePermissions = availablePermissions
            self.availabilityCondition = availabilityCondition
        }
    }

    /// A condition in the Common Expression Language.
    public struct Condition: Sendable, Hashable {
        /// The expression, such as `resource.name.startsWith('projects/_/buckets/name/objects/customer-a')`.
        public var expression: String
        /// A short title.
        public var title: String?
        /// A description.
        public var description: String?

        /// Creates a condition.
        public init(expression: String, title: String? = nil, description: String? = nil) {
            self.expression = expression
            self.title = title
            self.description = description
        }
    }

    /// Checks the number of rules and the names of the roles.
    func check() throws(GoogleCredentialsError) {
        guard (1...10).contains(self.rules.count) else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "an access boundary must have 1 to 10 rules, not \(self.rules.count)"
            )
        }
        let permissions = self.rules.flatMap(\.availablePermissions)
        guard permissions.allSatisfy({ $0.hasPrefix("inRole:") }) else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "each available permission must begin with inRole:"
            )
        }
    }

    var json: JSONNode {
        let rules = self.rules.map { rule in
            JSONNode.object(present: [
                "availablePermissions": .array(rule.availablePermissions.map { .string($0) }),
                "availableResource": .string(rule.availableResource),
                "availabilityCondition": rule.availabilityCondition.map { condition in
                    .object(present: [
                        "expression": .string(condition.expression),
                        "title": condition.title.map { .string($0) },
                        "description": condition.description.map { .string($0) },
                    ])
                },
            ])
        }
        return ["accessBoundary": ["accessBoundaryRules": .array(rules)]]
    }
}

/// Other credentials with fewer permissions.
struct DownscopedCredentials: CredentialMethod {
    let source: GoogleCredentials
    let boundary: CredentialAccessBoundary

    var kind: GoogleCredentialKind { .downscoped }
    var acceptsScopes: Bool { false }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        let endpoint = try client.trust.service("sts", path: "/v1/token")
        return try await self.source.withToken { token in
            var request = TokenRequest.tokenExchange(
                subject: SecurityToken(token.secret, type: .accessToken),
                requestedType: .accessToken,
                at: endpoint
            )
            request.additionalParameters["options"] = ExternalAccount.options(self.boundary.json)
            request.identifiesClient = false
            let response = try await client.token(request, at: endpoint)
            // The token is not valid longer than the source's. The server omits the lifetime for some sources.
            let remaining = token.expiresAt.map { client.lifetime(until: $0) }
            guard response.expiresIn == nil else { return IssuedToken(response) }
            return IssuedToken(response.accessToken, lifetime: remaining).since(client.runtime.uptime())
        }
    }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        try await self.source.ownProject()
    }
}
