// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraOAuth
internal import TesseraSupport

/// The rules for validating an ID token that Google issued and another program sent.
///
/// The issuer, the keys and the algorithm are fixed for each kind of token, and the audience is required. To validate
/// the ID token from a sign-in of your own app, use `IDTokenPolicy` instead, which also checks the nonce.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation),
///   [Google on types of tokens](https://docs.cloud.google.com/docs/authentication/token-types#id)
public struct GoogleIDTokenPolicy: TokenPolicy {
    /// The clients that can request tokens (`azp`), or empty to accept a token that any client requested.
    public let authorizedParties: [String]
    /// The Google Workspace domain that the user's account must belong to (`hd`), or nil to accept any account.
    public let hostedDomain: String?
    /// The service account that must have requested the token, identified by its verified email address (`email`), or
    /// nil to accept any user or service account.
    public let serviceAccount: String?
    /// The tolerated difference between Google's clock and the local clock, in seconds.
    ///
    /// Defaults to 300.
    public var clockTolerance: Int {
        get { self.common.clockTolerance }
        set { self.common.clockTolerance = newValue }
    }

    let keySetEndpoint: Endpoint
    private var common: JWTPolicy
    /// Whether `auth_time` must be present and in the past.
    private let requiresAuthenticationTime: Bool

    private init(
        _ kind: Kind,
        issuer: String,
        audiences: [String],
        authorizedParties: [String] = [],
        hostedDomain: String? = nil,
        serviceAccount: String? = nil
    ) throws {
        guard !audiences.isEmpty, audiences.allSatisfy({ !$0.isEmpty }) else {
            throw InvalidRequestError("audience", reason: "must not be empty")
        }
        self.keySetEndpoint = try Endpoint(kind.keySetURL, name: "jwks_uri")
        self.common = JWTPolicy(
            name: "the ID token",
            section: Self.section,
            algorithms: [kind == .identityAwareProxy ? .es256 : .rs256],
            issuer: try Issuer(issuer),
            issuerAliases: kind == .google ? GoogleEndpoints.issuerAliases : [],
            audiences: audiences,
            // Google's ID tokens are valid for an hour. This limit is the one of `IDTokenPolicy`.
            issuedAtLimit: 86_400
        )
        self.authorizedParties = authorizedParties
        self.hostedDomain = hostedDomain
        self.serviceAccount = serviceAccount
        self.requiresAuthenticationTime = kind == .firebase
    }

    private static let section = "OpenID Connect Core 1.0, section 3.1.3.7"

    /// A set of keys with which Google signs tokens.
    private enum Kind {
        case google
        case identityAwareProxy
        case firebase

        var keySetURL: String {
            switch self {
            case .google: GoogleEndpoints.jwksURI
            case .identityAwareProxy: "https://www.gstatic.com/iap/verify/public_key-jwk"
            case .firebase:
                "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
            }
        }
    }

    /// Validates a token.
    ///
    /// - Throws: Any error that `JWTPolicy.validate(_:keys:now:)` throws, or `ProtocolViolationError` with `jwtClaims`,
    ///   `idTokenSubject`, `idTokenAuthorizedParty`, `idTokenAuthenticationTime`, `googleIDTokenEmail` or
    ///   `googleIDTokenHostedDomain`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> GoogleIDToken {
        let claims = try IDTokenClaims(try self.common.validate(token, keys: keys, now: now).claims)
        try self.checkAuthorizedParty(claims)
        try self.checkAuthenticationTime(claims, now: now)
        try self.checkServiceAccount(claims)
        try self.checkHostedDomain(claims)
        return GoogleIDToken(claims)
    }

    private func checkAuthorizedParty(_ claims: IDTokenClaims) throws {
        guard !self.authorizedParties.isEmpty else { return }
        let party = claims.authorizedParty
        guard let party, self.authorizedParties.contains(where: party.isExactly) else {
            throw ProtocolViolationError(
                .idTokenAuthorizedParty,
                expected: "azp to be one of the policy's authorized parties",
                actual: party ?? "none"
            )
        }
    }

    private func checkAuthenticationTime(_ claims: IDTokenClaims, now: Date) throws {
        guard self.requiresAuthenticationTime else { return }
        let time = claims.authenticationTime
        guard let time, time - Double(self.clockTolerance) <= now.timeIntervalSince1970 else {
            throw ProtocolViolationError(
                .idTokenAuthenticationTime,
                expected: "auth_time in the past",
                actual: time == nil ? "none" : "a time in the future"
            )
        }
    }

    private func checkServiceAccount(_ claims: IDTokenClaims) throws {
        guard let serviceAccount else { return }
        // The errors do not contain the address, because it can identify a user.
        guard let email = claims.email, email.isExactly(serviceAccount) else {
            throw ProtocolViolationError(
                .googleIDTokenEmail,
                expected: "email to be \(serviceAccount)",
                actual: claims.email == nil ? "none" : "another address"
            )
        }
        guard claims.emailVerified == true else {
            throw ProtocolViolationError(
                .googleIDTokenEmail,
                expected: "email_verified to be true",
                actual: claims.emailVerified.map { "\($0)" } ?? "none"
            )
        }
    }

    private func checkHostedDomain(_ claims: IDTokenClaims) throws {
        guard let hostedDomain else { return }
        guard let domain = claims.hostedDomain, domain.isExactly(hostedDomain) else {
            throw ProtocolViolationError(
                .googleIDTokenHostedDomain,
                expected: "hd to be \(hostedDomain)",
                actual: claims.hostedDomain ?? "none"
            )
        }
    }
}

extension GoogleIDTokenPolicy {
    /// Returns the policy for ID tokens of Google accounts and service accounts.
    ///
    /// Every service account can get a token for every audience. The audience prevents the use of a token for another
    /// server, but it does not limit who can call yours. Compare ``GoogleIDToken/subject``, or the verified
    /// ``GoogleIDToken/email``, with the accounts that are permitted.
    ///
    /// - Parameters:
    ///   - audiences: The accepted values of `aud`, such as the client ID of a web client, or the URL of this service.
    ///   - authorizedParties: The client IDs of the apps whose tokens are accepted (`azp`). By default, a token for
    ///     the audience is accepted from any app.
    ///   - hostedDomain: The Google Workspace domain that the user's account must belong to (`hd`).
    /// - Returns: The policy.
    /// - Throws: `InvalidRequestError` if there is no audience or if an audience is empty.
    /// - SeeAlso: [Verify the Google ID token on your server side](https://developers.google.com/identity/gsi/web/guides/verify-google-id-token)
    public static func google(
        audiences: [String],
        authorizedParties: [String] = [],
        hostedDomain: String? = nil
    ) throws -> Self {
        try Self(
            .google,
            issuer: GoogleEndpoints.issuer,
            audiences: audiences,
            authorizedParties: authorizedParties,
            hostedDomain: hostedDomain
        )
    }

    /// Returns the policy for ID tokens that a Google service sends with a request, such as a push request of Pub/Sub
    /// or a request of Cloud Scheduler, Cloud Tasks or Eventarc.
    ///
    /// - Parameters:
    ///   - audience: The audience of the subscription or job. It defaults to the URL that the request is sent to.
    ///   - serviceAccount: The email address of the service account that the subscription or job uses. The token must
    ///     contain it as a verified address.
    /// - Returns: The policy.
    /// - Throws: `InvalidRequestError` if an argument is empty.
    /// - SeeAlso: [Authentication for push subscriptions](https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions)
    public static func pushRequest(audience: String, serviceAccount: String) throws -> Self {
        guard !serviceAccount.isEmpty else {
            throw InvalidRequestError("service account", reason: "must not be empty")
        }
        return try Self(
            .google,
            issuer: GoogleEndpoints.issuer,
            audiences: [audience],
            serviceAccount: serviceAccount
        )
    }

    /// Returns the policy for the token that Identity-Aware Proxy sends in the field `x-goog-iap-jwt-assertion`.
    ///
    /// - Parameters:
    ///   - audience: `/projects/PROJECT_NUMBER/apps/PROJECT_ID` for App Engine,
    ///     `/projects/PROJECT_NUMBER/global/backendServices/SERVICE_ID` behind a load balancer, or
    ///     `/projects/PROJECT_NUMBER/locations/REGION/services/SERVICE_NAME` for Cloud Run.
    ///   - hostedDomain: The Google Workspace domain that the user's account must belong to (`hd`).
    /// - Returns: The policy.
    /// - Throws: `InvalidRequestError` if the audience is empty.
    /// - SeeAlso: [Securing your app with signed headers](https://docs.cloud.google.com/iap/docs/signed-headers-howto)
    public static func identityAwareProxy(audience: String, hostedDomain: String? = nil) throws -> Self {
        try Self(
            .identityAwareProxy,
            issuer: "https://cloud.google.com/iap",
            audiences: [audience],
            hostedDomain: hostedDomain
        )
    }

    /// Returns the policy for ID tokens of Firebase Authentication.
    ///
    /// The token must contain the time of the sign-in (`auth_time`). Session cookies and custom tokens are rejected.
    /// The policy does not detect that an account was disabled or that its tokens were revoked. Such a token is
    /// accepted until it expires.
    ///
    /// - Parameter projectID: The ID of the Firebase project, such as `my-project`.
    /// - Returns: The policy.
    /// - Throws: `InvalidRequestError` if the project ID is empty or contains anything but letters, digits, hyphens,
    ///   dots and colons.
    /// - SeeAlso: [Verify ID tokens](https://firebase.google.com/docs/auth/admin/verify-id-tokens)
    public static func firebase(projectID: String) throws -> Self {
        // Old project IDs begin with a domain, as in `example.com:project`.
        let isProjectID = projectID.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-.:".utf8.contains($0) }
        guard isProjectID, !projectID.isEmpty else {
            throw InvalidRequestError("project ID", reason: "must look like my-project")
        }
        return try Self(.firebase, issuer: "https://securetoken.google.com/\(projectID)", audiences: [projectID])
    }
}

extension ProtocolViolationError.Rule {
    /// The ID token of a Google service's request must contain the verified email address of the expected service
    /// account.
    public static let googleIDTokenEmail = Self("googleIDToken.email", "Google Cloud, push authentication")
    /// The ID token must be for an account of the required Google Workspace domain.
    public static let googleIDTokenHostedDomain = Self("googleIDToken.hostedDomain", "Google, OpenID Connect, hd")
}
