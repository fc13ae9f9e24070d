// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A signed request for the identity of an AWS role, which Google's token service sends to AWS.
///
/// The request itself is never sent from here.
struct AWSSubjectToken: SubjectTokenSource {
    /// Returns the region and the credentials.
    private let values: @Sendable (CredentialClient) async throws -> (region: String, credentials: AWSCredentials)
    /// The URL of the request, with `{region}`.
    private let verificationURL: String

    private static let defaultVerificationURL =
        "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"

    /// Creates a source that gets the credentials from the caller.
    init(
        region: String,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.values = { _ in (region, try await credentials()) }
        self.verificationURL = Self.defaultVerificationURL
    }

    /// Creates a source that gets the credentials from the environment or from the machine's metadata service.
    init(_ source: CredentialFile) throws {
        guard try source.required("environment_id") == "aws1" else {
            throw source.invalid("credential_source.environment_id must be aws1")
        }
        self.verificationURL = try source.required("regional_cred_verification_url")
        let metadata = try AWSMetadata(source)
        self.values = { client in (try await metadata.region(client), try await metadata.credentials(client)) }
    }

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        let (region, credentials) = try await self.values(client)
        guard !region.isEmpty, region.utf8.allSatisfy({ Self.isNameByte($0) }) else {
            throw GoogleCredentialsError(.subjectToken, reason: "the AWS region is not valid")
        }
        let url = self.verificationURL.replacing("{region}", with: region)
        guard let parts = URIParts(url), parts.scheme == "https", let host = parts.host, parts.userinfo == nil,
            Self.isAmazon(host), let query = try? FormParameters(decoding: parts.query ?? ""),
            query["Action"] == "GetCallerIdentity"
        else {
            throw GoogleCredentialsError(
                .untrustedEndpoint,
                reason: "regional_cred_verification_url must be GetCallerIdentity of AWS STS",
                advice: "Create the credential file again with 'gcloud iam workload-identity-pools create-cred-config'."
            )
        }
        let service = host.prefix { $0 != "." }
        let signer = AWSRequestSigner(
            credentials: credentials,
            region: region,
            service: String(service.hasSuffix("-fips") ? service.dropLast(5) : service),
            date: client.runtime.now()
        )
        let target = "x-goog-cloud-target-resource"
        let signature = signer.signature(
            method: "POST",
            path: parts.path,
            query: query.parameters.map { ($0.name, $0.value) },
            fields: ["host": host]
        )
        var headers = ["Authorization": signature.authorization, "host": host, "x-amz-date": signature.date]
        credentials.sessionToken?.withUnredacted { headers["x-amz-security-token"] = $0 }
        headers[target] = context.audience
        let request: JSONNode = [
            "headers": .array(
                headers.sorted { $0.key < $1.key }.map { ["key": .string($0.key), "value": .string($0.value)] }
            ),
            "method": "POST", "url": .string(url),
        ]
        return Secret(PercentEncoding.encode(request.text()))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }

    private static func isAmazon(_ host: String) -> Bool {
        (host.hasPrefix("sts.") || host.hasPrefix("sts-fips."))
            && (host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"))
    }
}

/// The credentials and the region of an AWS machine, from the environment or the instance metadata service.
///
/// - SeeAlso: [Use the Instance Metadata Service](https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html)
private struct AWSMetadata: Sendable {
    let regionURL: Endpoint?
    let credentialsURL: Endpoint?
    let sessionTokenURL: Endpoint?

    init(_ source: CredentialFile) throws {
        func endpoint(_ name: String) throws -> Endpoint? {
            guard let text = try source.string(name) else { return nil }
            let url = try? Endpoint(text, name: name, insecure: [.loopbackHTTP, .metadataServerHTTP])
            guard let url, url.parts.isLoopback || url.parts.host.map({ RequestTarget.isMetadataServer($0) }) == true,
                url.parts.path.hasPrefix("/latest/")
            else { throw source.invalid("credential_source.\(name) is not a URL of the instance metadata service") }
            return url
        }
        self.regionURL = try endpoint("region_url")
        self.credentialsURL = try endpoint("url")
        self.sessionTokenURL = try endpoint("imdsv2_session_token_url")
    }

    func region(_ client: CredentialClient) async throws -> String {
        if let region = client.environment.first(of: "AWS_REGION", "AWS_DEFAULT_REGION") { return region }
        guard let url = self.regionURL else { throw self.missing("the AWS region", "region_url") }
        let zone = try await self.text(url, try await self.sessionToken(client), client)
        return String(zone.dropLast())
    }

    func credentials(_ client: CredentialClient) async throws -> AWSCredentials {
        let environment = client.environment
        if let keyID = environment["AWS_ACCESS_KEY_ID"], let key = environment["AWS_SECRET_ACCESS_KEY"] {
            return AWSCredentials(
                accessKeyID: keyID,
                secretAccessKey: Secret(key),
                sessionToken: environment["AWS_SESSION_TOKEN"].map { Secret($0) }
            )
        }
        guard let url = self.credentialsURL else { throw self.missing("the AWS credentials", "url") }
        let session = try await self.sessionToken(client)
        let role = try await self.text(url, session, client)
        let roleURL = try Endpoint(
            url.url + "/" + PercentEncoding.encode(role),
            name: "url",
            insecure: [.loopbackHTTP, .metadataServerHTTP]
        )
        let fields = try await self.response(roleURL, session, client).fields("the AWS credentials")
        return AWSCredentials(
            accessKeyID: try fields.requiredString("AccessKeyId"),
            secretAccessKey: Secret(try fields.requiredString("SecretAccessKey")),
            sessionToken: try fields.string("Token").map { Secret($0) }
        )
    }

    /// Returns a session token (IMDSv2), or nil if the file has no URL for it.
    private func sessionToken(_ client: CredentialClient) async throws -> Secret? {
        guard let url = self.sessionTokenURL else { return nil }
        var request = self.request(url)
        request.method = .put
        request.fields[.sessionTokenLifetime] = "300"
        guard let text = try await client.response(to: request).text, HTTPField.isValidValue(text) else {
            throw GoogleCredentialsError(.subjectToken, at: request.location, reason: "the session token is not text")
        }
        return Secret(text)
    }

    private func text(_ url: Endpoint, _ session: Secret?, _ client: CredentialClient) async throws -> String {
        guard let text = try await self.response(url, session, client).text, !text.isEmpty else {
            throw GoogleCredentialsError(.subjectToken, at: url.url, reason: "the metadata service returned no text")
        }
        return text
    }

    private func response(
        _ url: Endpoint,
        _ session: Secret?,
        _ client: CredentialClient
    ) async throws -> ServiceResponse {
        var request = self.request(url)
        session?.withUnredacted { request.fields.append(.sensitive(.sessionToken, $0)) }
        request.secrets += session.map { [$0] } ?? []
        return try await client.response(to: request)
    }

    private func request(_ url: Endpoint) -> ServiceRequest {
        var request = ServiceRequest("aws_metadata", server: "The AWS instance metadata service", url: url)
        request.code = .subjectToken
        request.deadline = .seconds(10)
        return request
    }

    private func missing(_ value: String, _ name: String) -> GoogleCredentialsError {
        GoogleCredentialsError(
            .subjectToken,
            reason: "\(value) cannot be determined, because credential_source.\(name) is missing",
            advice: "Set the environment variables of AWS, or create the credential file again."
        )
    }
}

extension HTTPField.Name {
    fileprivate static let sessionToken = Self(known: "X-aws-ec2-metadata-token")
    fileprivate static let sessionTokenLifetime = Self(known: "X-aws-ec2-metadata-token-ttl-seconds")
}
