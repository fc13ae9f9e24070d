// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The metadata server of Compute Engine.
extension ProviderState {
    static let metadataFlavor = "Metadata-Flavor"

    /// Returns a value of the metadata server, which both the request and the response must mark.
    mutating func metadata(
        _ request: ProviderRequest,
        _ content: (inout Self, CloudState) throws -> ProviderResponse
    ) throws -> ProviderResponse {
        guard let cloud else { throw HTTPFailure.notFound }
        guard request.headers[named: Self.metadataFlavor] == "Google", request.headers[named: "X-Forwarded-For"] == nil
        else { throw HTTPFailure(status: .forbidden, text: "Missing required header \"Metadata-Flavor\": \"Google\"") }
        var response = try content(&self, cloud)
        response.headers[named: Self.metadataFlavor] = "Google"
        response.headers[.server] = "Metadata Server for VM"
        return response
    }

    mutating func metadata(_ request: ProviderRequest, text: (LocalCloudOptions) -> String) throws -> ProviderResponse {
        try self.metadata(request) { _, cloud in .plain(text(cloud.options)) }
    }

    /// Returns the service account in the path, which is `default` or the default account's email address.
    private func metadataAccount(_ request: ProviderRequest) throws(HTTPFailure) -> LocalServiceAccount {
        let name = PercentEncoding.decode(request.parameter("account").utf8).flatMap { String(wellFormedUTF8: $0) }
        guard let account = self.cloud?.accounts.first, ["default", account.email].contains(name) else {
            throw .notFound
        }
        return account
    }

    mutating func metadataAccountInformation(_ request: ProviderRequest) throws -> ProviderResponse {
        try self.metadata(request) { state, cloud in
            let account = try state.metadataAccount(request)
            guard (try? FormParameters(decoding: request.query))?["recursive"] == "true" else {
                return .plain("aliases\nemail\nidentity\nscopes\ntoken\n")
            }
            let information = JSONNode.members([
                "aliases": ["default"], "email": account.email, "scopes": cloud.options.metadataScopes,
            ])
            return .json(information)
        }
    }

    mutating func metadataEmail(_ request: ProviderRequest) throws -> ProviderResponse {
        try self.metadata(request) { state, _ in .plain(try state.metadataAccount(request).email) }
    }

    mutating func metadataScopes(_ request: ProviderRequest) throws -> ProviderResponse {
        try self.metadata(request) { state, cloud in
            _ = try state.metadataAccount(request)
            return .plain(cloud.options.metadataScopes.map { $0 + "\n" }.joined())
        }
    }

    mutating func metadataToken(_ request: ProviderRequest) throws -> ProviderResponse {
        try self.metadata(request) { state, cloud in
            let account = try state.metadataAccount(request)
            let scopes = (try? FormParameters(received: request.query))?["scopes"]?.split(separator: ",")
            let token = state.issueToken(
                to: account.uniqueID,
                scopes: scopes?.map(String.init) ?? cloud.options.metadataScopes
            )
            return .json(
                .members([
                    "access_token": token.text,
                    "expires_in": state.behavior.omitsExpiry ? nil : token.deadline - state.now,
                    "token_type": "Bearer",
                ])
            )
        }
    }

    mutating func metadataIdentity(_ request: ProviderRequest) throws -> ProviderResponse {
        try self.metadata(request) { state, cloud in
            let account = try state.metadataAccount(request)
            let query = try? FormParameters(received: request.query)
            guard let query, let audience = query["audience"] else {
                throw HTTPFailure(status: .badRequest, text: "non-empty audience parameter required")
            }
            let isFull = query["format"] == "full"
            let instance = JSONNode.members([
                "instance_id": "8426501138046927713", "instance_name": "tessera-local", "zone": cloud.options.zone,
                "project_id": cloud.options.projectID, "project_number": cloud.options.projectNumber,
                "instance_creation_timestamp": state.now - 86_400,
                "license_id": query["licenses"]?.uppercased() == "TRUE" ? ["1000204"] : nil,
            ])
            let claims = JSONMember.list([
                "google": isFull ? JSONNode.members(["compute_engine": instance]) : nil
            ])
            return .plain(try state.idToken(of: account, for: audience, includingEmail: isFull, and: claims))
        }
    }
}

/// The instance metadata service of AWS, and the source of subject tokens.
extension ProviderState {
    /// Starts a session of IMDSv2.
    mutating func awsSession(_ request: ProviderRequest) throws -> ProviderResponse {
        let lifetime = request.headers[named: "X-aws-ec2-metadata-token-ttl-seconds"].flatMap { Int64($0) } ?? 0
        guard (1...21_600).contains(lifetime) else { throw HTTPFailure(status: .badRequest, text: "Bad Request") }
        let text = self.randomText()
        self.cloud?.awsSessions.set(text, true, until: self.now + lifetime, at: self.now)
        return .plain(text)
    }

    private func awsCredentials(_ request: ProviderRequest) throws(HTTPFailure) -> LocalAWSCredentials {
        guard let cloud else { throw .notFound }
        let session = request.headers[named: "X-aws-ec2-metadata-token"]
        let isValid = session.map { cloud.awsSessions.entry($0, at: self.now) != nil }
        guard isValid ?? !cloud.options.aws.requiresIMDSv2 else {
            throw HTTPFailure(status: .unauthorized, text: "Unauthorized")
        }
        return cloud.options.aws
    }

    func awsZone(_ request: ProviderRequest) throws -> ProviderResponse {
        .plain(try self.awsCredentials(request).availabilityZone)
    }

    func awsRole(_ request: ProviderRequest) throws -> ProviderResponse {
        .plain(try self.awsCredentials(request).role)
    }

    func awsSecurityCredentials(_ request: ProviderRequest) throws -> ProviderResponse {
        let credentials = try self.awsCredentials(request)
        guard request.parameter("role") == credentials.role else { throw HTTPFailure.notFound }
        let now = Date(timeIntervalSince1970: Double(self.now))
        return .json(
            .members([
                "Code": "Success", "LastUpdated": now.formatted(.iso8601), "Type": "AWS-HMAC",
                "AccessKeyId": credentials.accessKeyID, "SecretAccessKey": credentials.secretAccessKey,
                "Token": credentials.sessionToken, "Expiration": (now + 21_600).formatted(.iso8601),
            ])
        )
    }

    /// Returns the subject token as text, or as JSON if the query is `format=json`.
    func subjectToken(_ request: ProviderRequest) -> ProviderResponse {
        let token = self.cloud?.options.subjectToken ?? ""
        let isJSON = (try? FormParameters(received: request.query))?["format"] == "json"
        return isJSON ? .json(.members(["id_token": token])) : .plain(token)
    }
}

/// An error of a metadata server, whose body is text.
struct HTTPFailure: EndpointFailure {
    let status: HTTPResponse.Status
    let text: String

    static let notFound = Self(status: .notFound, text: "Not Found")

    var response: ProviderResponse { .text(self.text, status: self.status) }
}

extension ProviderResponse {
    /// Returns a value as text, without a line break at the end.
    static func plain(_ text: String) -> Self {
        Self(.ok, headers: [.contentType: "application/text"], content: .bytes(Array(text.utf8)))
    }
}
#endif
