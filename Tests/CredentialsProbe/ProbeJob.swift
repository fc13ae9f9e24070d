// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogle
internal import TesseraOAuth

/// What the probe does with credentials, as `Scripts/check-credentials` describes it.
struct ProbeJob: Decodable {
    /// `access_token`, `id_token`, `sign` or `call`.
    var operation: String
    /// `default` (Application Default Credentials), `load` or `machine` (the metadata server).
    var source: String
    /// The path of the file that `load` reads.
    var file: String
    var scopes: [String]
    var audience: String?
    var includeEmail: Bool
    var includeLicenses: Bool
    var subject: String?
    var universe: String?
    var quotaProject: String?
    /// `scopes` or an audience, if the key signs the tokens.
    var selfSigned: String?
    var interactive: Bool
    var impersonate: Target?
    var downscope: [Rule]?
    /// The text to sign.
    var bytes: String
    /// The port of the local server.
    var port: Int

    /// A service account to act as.
    struct Target: Decodable {
        var email: String
        var scopes: [String]
        var delegates: [String]?
        var lifetime: Int?
        var subject: String?
    }

    /// A rule of an access boundary.
    struct Rule: Decodable {
        var availableResource: String
        var availablePermissions: [String]
        var availabilityCondition: Condition?
    }

    /// A condition of a rule.
    struct Condition: Decodable {
        var expression: String
        var title: String?
        var description: String?
    }
}

extension ProbeJob {
    private var options: GoogleCredentialsOptions {
        var options = GoogleCredentialsOptions()
        options.universeDomain = self.universe
        options.quotaProject = self.quotaProject
        options.subject = self.subject
        options.isInteractive = self.interactive
        if let audience = self.selfSigned {
            options.serviceAccountTokens = audience == "scopes" ? .selfSigned : .selfSigned(audience: audience)
        }
        return options
    }

    /// Returns the credentials without impersonation and access boundary.
    func credentials(_ runtime: OAuthRuntime) async throws -> GoogleCredentials {
        let scopes = self.scopes.map { Scope($0) }
        return switch self.source {
        case "machine":
            try GoogleCredentials.metadataServer(scopes: scopes, options: self.options, runtime: runtime)
        case "load":
            try GoogleCredentials.load(
                self.file,
                expecting: GoogleCredentialFileType.all,
                scopes: scopes,
                options: self.options,
                runtime: runtime
            )
        default:
            try await GoogleCredentials.applicationDefault(scopes: scopes, options: self.options, runtime: runtime)
        }
    }

    /// Returns the credentials with impersonation and access boundary.
    func derived(from credentials: GoogleCredentials) throws -> GoogleCredentials {
        var credentials = credentials
        if let target = self.impersonate {
            credentials = try credentials.impersonating(
                target.email,
                scopes: target.scopes.map { Scope($0) },
                delegates: target.delegates ?? [],
                lifetime: .seconds(target.lifetime ?? 3_600),
                subject: target.subject
            )
        }
        if let rules = self.downscope {
            credentials = try credentials.downscoped(to: CredentialAccessBoundary(rules: rules.map(\.rule)))
        }
        return credentials
    }
}

extension ProbeJob.Rule {
    fileprivate var rule: CredentialAccessBoundary.Rule {
        CredentialAccessBoundary.Rule(
            availableResource: self.availableResource,
            availablePermissions: self.availablePermissions,
            availabilityCondition: self.availabilityCondition.map { condition in
                CredentialAccessBoundary.Condition(
                    expression: condition.expression,
                    title: condition.title,
                    description: condition.description
                )
            }
        )
    }
}
