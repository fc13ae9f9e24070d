// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// The IAM Credentials API and the Resource Manager API.
extension ProviderState {
    private static let iamService = "iamcredentials.googleapis.com"
    private static let iamScopes = [ScopeCatalog.cloudPlatform, "https://www.googleapis.com/auth/iam"]
    private static let resourceScopes = [
        ScopeCatalog.cloudPlatform, "https://www.googleapis.com/auth/cloud-platform.read-only",
        "https://www.googleapis.com/auth/cloudplatformprojects",
        "https://www.googleapis.com/auth/cloudplatformprojects.readonly",
    ]

    mutating func generateAccessToken(_ request: ProviderRequest) throws -> ProviderResponse {
        let (account, body) = try self.impersonation(request)
        let scopes = body["scope"]?.elements.map { $0.compactMap(\.string) } ?? []
        guard !scopes.isEmpty else { throw APIFailure.invalidArgument("The request must specify a scope.") }
        let text = body["lifetime"]?.string ?? "3600s"
        guard text.hasSuffix("s"), let lifetime = Int64(text.dropLast()), (1...43_200).contains(lifetime) else {
            throw APIFailure.invalidArgument("The lifetime must be between 1s and 43200s.")
        }
        let token = self.issueToken(to: account.uniqueID, scopes: scopes, lifetime: lifetime)
        let expiry = Date(timeIntervalSince1970: Double(token.deadline)).formatted(.iso8601)
        return .json(.members(["accessToken": token.text, "expireTime": expiry]))
    }

    func generateIDToken(_ request: ProviderRequest) throws -> ProviderResponse {
        let (account, body) = try self.impersonation(request)
        guard let audience = body["audience"]?.string, !audience.isEmpty else {
            throw APIFailure.invalidArgument("The request must specify an audience.")
        }
        let includesEmail = body["includeEmail"]?.bool ?? false
        let token = try self.idToken(of: account, for: audience, includingEmail: includesEmail)
        return .json(.members(["token": token]))
    }

    func signBlob(_ request: ProviderRequest) throws -> ProviderResponse {
        let (account, body) = try self.impersonation(request)
        guard let payload = body["payload"]?.string.flatMap({ Base64.decode($0.utf8) }) else {
            throw APIFailure.invalidArgument("The payload must be encoded in Base64.")
        }
        let signature = try account.key.map { try $0.signature(over: payload) } ?? []
        return .json(.members(["keyId": account.key?.keyID, "signedBlob": Base64.encode(signature)]))
    }

    func signJWT(_ request: ProviderRequest) throws -> ProviderResponse {
        let (account, body) = try self.impersonation(request)
        guard let payload = body["payload"]?.string, let claims = try? JSONValue(parsing: payload),
            claims.kind == .object
        else { throw APIFailure.invalidArgument("The payload must be a JSON object.") }
        if let expiry = claims["exp"] {
            guard let time = try? expiry.integer(Int64.self), time > self.now, time <= self.now + 43_200 else {
                throw APIFailure.invalidArgument("The claim exp must be within the next 12 hours.")
            }
        }
        let token = try account.key?.sign(payload: Array(payload.utf8), type: "JWT")
        return .json(.members(["keyId": account.key?.keyID, "signedJwt": token]))
    }

    /// Returns the regions in which a principal's tokens can be used.
    func allowedLocations(_ request: ProviderRequest) throws -> ProviderResponse {
        _ = try self.principal(request, anyOf: Self.iamScopes)
        return .json(.members(["locations": ["europe-west1"], "encodedLocations": "0x10"]))
    }

    func project(_ request: ProviderRequest) throws -> ProviderResponse {
        _ = try self.principal(request, anyOf: Self.resourceScopes, service: "cloudresourcemanager.googleapis.com")
        let name = request.parameter("project")
        guard let options = self.cloud?.options, [String(options.projectNumber), options.projectID].contains(name)
        else {
            throw APIFailure.forbidden("forbidden", "The caller does not have permission")
        }
        return .json(
            .members([
                "projectNumber": String(options.projectNumber), "projectId": options.projectID,
                "lifecycleState": "ACTIVE", "name": options.projectID,
            ])
        )
    }

    /// Returns the email address or URI of the principal that calls an API.
    private func principal(
        _ request: ProviderRequest,
        anyOf scopes: [String],
        service: String = Self.iamService
    ) throws(APIFailure) -> String {
        do throws(BearerRefusal) {
            let subject = try self.bearer(request, anyOf: scopes).authorization.subject
            return self.account(subject)?.email ?? subject
        } catch {
            throw self.failure(error, service: service)
        }
    }

    /// Returns the service account in the path and the body, if the caller can impersonate the account.
    ///
    /// With delegates, each account in the chain must be able to impersonate the next one.
    private func impersonation(
        _ request: ProviderRequest
    ) throws(APIFailure) -> (account: LocalServiceAccount, body: JSONValue) {
        var caller = try self.principal(request, anyOf: Self.iamScopes)
        guard request.contentType == "application/json", let body = try? JSONValue(parsing: request.body),
            body.kind == .object
        else { throw .parseError("The body is not a JSON object.") }
        let delegates = body["delegates"]?.elements.map { $0.map { $0.string ?? "" } } ?? []
        let email = PercentEncoding.decode(request.parameter("email").utf8).flatMap { String(wellFormedUTF8: $0) }
        var account: LocalServiceAccount?
        for name in delegates + [email ?? ""] {
            let id = name.split(separator: "/").last.map(String.init) ?? ""
            guard let next = self.cloud?.account(id) else {
                throw APIFailure(
                    .notFound,
                    "notFound",
                    "Not found; Gaia id not found for email \(id.debugDescription)",
                    statusName: "NOT_FOUND"
                )
            }
            guard next.impersonators?.contains(caller) ?? true else {
                var failure = APIFailure.forbidden(
                    "forbidden",
                    "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist)."
                )
                failure.detail = ("IAM_PERMISSION_DENIED", "iam.googleapis.com")
                throw failure
            }
            (account, caller) = (next, next.email)
        }
        guard let account else { throw .entityNotFound }
        return (account, body)
    }
}
#endif
