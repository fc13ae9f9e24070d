// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import GoogleStorageV1
internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraOAuth

// guide: adc-server
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraGoogleAPI
/// Serves the reports in a bucket.
struct ReportServer {
    private let storage: StorageV1

    /// Finds the credentials of the environment.
    init() async throws {
        let credentials = try await GoogleCredentials.applicationDefault(scopes: [StorageV1.Scope.devstorageReadOnly])
        // Request a token now, so that a wrong configuration is found before the first user's request.
        _ = try await credentials.accessToken()
        self.storage = StorageV1(credentials: credentials)
    }

    /// Returns the names of the reports in a bucket.
    func reports(in bucket: String) async throws -> [String] {
        var names: [String] = []
        for try await object in self.storage.objects.list(bucket: bucket).items { names.append(object.name ?? "–") }
        return names
    }
}
// end

// guide: adc-search
/// Returns a description of the credentials and of the search that found them.
func explanation(of credentials: GoogleCredentials) async throws -> String {
    let steps = credentials.search.map { "\($0.source.rawValue): \($0.reason ?? "used")" }
    let project = try await credentials.project() ?? "unknown"
    return (steps + ["kind: \(credentials.kind.rawValue)", "project: \(project)"]).joined(separator: "\n")
}
// end

// guide: keyless-file
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraGoogleAPI
/// Returns a client that uses a credential configuration for another cloud or a CI service.
func storage(credentialFile path: String) throws -> StorageV1 {
    let credentials = try GoogleCredentials.load(
        path,
        expecting: [.externalAccountFile, .externalAccountURL, .externalAccountAWS],
        scopes: [StorageV1.Scope.devstorageReadOnly]
    )
    return StorageV1(credentials: credentials)
}
// end

// guide: keyless-closure
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraOAuth
/// Returns credentials that exchange the tokens of the program's own identity provider.
func federatedCredentials(
    runtime: OAuthRuntime = PlatformDefaults.credentialRuntime(),
    token: @escaping @Sendable () async throws -> Secret
) throws -> GoogleCredentials {
    try .externalAccount(
        audience: "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/builds",
        scopes: [StorageV1.Scope.devstorageReadOnly],
        impersonating: "reports@my-project.iam.gserviceaccount.com",
        runtime: runtime
    ) { _ in try await token() }
}
// end

// guide: keyless-aws
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraOAuth
/// Returns credentials for a program on AWS that gets its AWS credentials from another library.
func federatedCredentials(
    region: String,
    runtime: OAuthRuntime = PlatformDefaults.credentialRuntime(),
    awsCredentials: @escaping @Sendable () async throws -> AWSCredentials
) throws -> GoogleCredentials {
    try .externalAccount(
        audience: "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/aws",
        awsRegion: region,
        scopes: [StorageV1.Scope.devstorageReadOnly],
        runtime: runtime,
        credentials: awsCredentials
    )
}
// end

// guide: delegation-keyless
// imports: GoogleDriveV3 TesseraDefaults TesseraGoogle TesseraGoogleAPI TesseraOAuth
/// Returns a client for a user's Drive, without a key.
func drive(of user: String, as serviceAccount: String) async throws -> DriveV3 {
    let scope: Scope = "https://www.googleapis.com/auth/cloud-platform"
    let machine = try await GoogleCredentials.applicationDefault(scopes: [scope])
    let delegated = try machine.impersonating(
        serviceAccount,
        scopes: [DriveV3.Scope.driveMetadataReadonly],
        subject: user
    )
    return DriveV3(credentials: delegated)
}
// end

// guide: delegation-key
// imports: GoogleDriveV3 TesseraDefaults TesseraGoogle TesseraGoogleAPI
/// Returns a client for a user's Drive, with the service account's key.
func drive(of user: String, keyFile: String) throws -> DriveV3 {
    let delegated = try GoogleCredentials.serviceAccount(
        keyFile: keyFile,
        scopes: [DriveV3.Scope.driveMetadataReadonly],
        subject: user
    )
    return DriveV3(credentials: delegated)
}
// end

// guide: cloud-run-caller
// imports: HTTPTypes Tessera TesseraFetch TesseraGoogle TesseraOAuth
/// Calls another service with ID tokens.
struct ReportsClient {
    private let url: String
    private let fetcher: AuthorizedFetcher

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - url: The URL of the service, such as `https://reports-123.europe-west1.run.app`.
    ///   - credentials: The credentials of this service, which support ID tokens.
    ///   - runtime: The transport for the calls.
    /// - Throws: An error if the URL is not an origin.
    init(url: String, credentials: GoogleCredentials, runtime: OAuthRuntime) throws {
        self.url = url
        self.fetcher = AuthorizedFetcher(try credentials.idTokens(for: url), runtime: runtime)
    }

    /// Returns a report.
    func report(_ name: String) async throws -> [UInt8] {
        try await self.fetcher.data(for: HTTPRequest(url: "\(self.url)/reports/\(name)"))
    }
}
// end

// guide: cloud-run-client
/// Returns a client that uses the service account of the Cloud Run service.
func reportsClient() throws -> ReportsClient {
    try ReportsClient(
        url: "https://reports-123.europe-west1.run.app",
        credentials: .metadataServer(),
        runtime: PlatformDefaults.credentialRuntime()
    )
}
// end

// guide: key-from-secret-manager
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraGoogleAPI
/// Returns a client that uses a service account key from a secret manager.
func storage(key: [UInt8]) throws -> StorageV1 {
    let credentials = try GoogleCredentials.load(
        parsing: key,
        expecting: [.serviceAccount],
        scopes: [StorageV1.Scope.devstorageReadOnly],
        runtime: PlatformDefaults.credentialRuntime()
    )
    return StorageV1(credentials: credentials)
}
// end

// guide: key-to-default
// imports: GoogleStorageV1 TesseraDefaults TesseraGoogle TesseraGoogleAPI
/// Returns a client that uses a key on a developer's machine and the metadata server on Google Cloud.
func storageWithDefaultCredentials() async throws -> StorageV1 {
    let scopes = [StorageV1.Scope.devstorageReadOnly]
    return StorageV1(credentials: try await .applicationDefault(scopes: scopes))
}
// end
