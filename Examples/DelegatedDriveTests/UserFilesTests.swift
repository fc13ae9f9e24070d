// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TesseraGoogle
import TesseraLocalProvider
import TesseraOAuth
import Testing

@testable import delegated_drive

@Suite("A service that reads a user's Drive without a key")
struct UserFilesTests {
    private static let delegate = "robot@tessera-local-provider.iam.gserviceaccount.com"
    private static let user = LocalProviderAccount.samples[0].email

    /// Runs the service's routes with a local provider.
    private static func withService(
        _ variables: [String: String] = [:],
        cloud: LocalCloudOptions = LocalCloudOptions(),
        _ body: @Sendable (LocalProvider, UserFiles, any TestClientProtocol) async throws -> Void
    ) async throws {
        var options = LocalProviderOptions()
        options.cloud = cloud
        let provider = try await LocalProvider.start(options)
        do {
            let required = [
                "LOCAL_PROVIDER_URL": provider.baseURL, "SERVICE_ACCOUNT": Self.delegate, "WORKSPACE_USER": Self.user,
            ]
            let files = try UserFiles(try DelegatedDriveSettings(required.merging(variables) { $1 }))
            try await Application(router: FilesRouter.make(files))
                .test(.router) { client in try await body(provider, files, client) }
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    @Test("Lists the user's files with the machine's credentials and requests one token for all calls")
    func lists() async throws {
        try await Self.withService { provider, files, client in
            try await files.check()
            for _ in 0..<3 {
                let response = try await client.execute(uri: "/files", method: .get)
                #expect(response.status == .ok)
                #expect(!response.body.readableBytesView.isEmpty)
            }
            let targets = provider.cloudRequests.map { String($0.target.prefix { $0 != "?" }) }
            #expect(
                targets == [
                    "/computeMetadata/v1/instance/service-accounts/default/",
                    "/computeMetadata/v1/instance/service-accounts/default/token",
                    "/v1/projects/-/serviceAccounts/\(Self.delegate):signJwt", "/token",
                ]
            )
        }
    }

    @Test("Fails at the start if the service account is not permitted to act for users")
    func notPermitted() async throws {
        var cloud = LocalCloudOptions()
        cloud.serviceAccounts[1].delegatedScopes = []
        try await Self.withService(cloud: cloud) { _, files, client in
            let error = await #expect(throws: OAuthError.self) { try await files.check() }
            #expect(error?.code == .unauthorizedClient)
            let response = try await client.execute(uri: "/files", method: .get)
            #expect(response.status == .badGateway)
        }
    }

    @Test("Fails if the machine's account cannot sign for the service account")
    func notSigning() async throws {
        var cloud = LocalCloudOptions()
        cloud.serviceAccounts[1].impersonators = []
        try await Self.withService(cloud: cloud) { _, files, client in
            let error = await #expect(throws: GoogleCredentialsError.self) { try await files.check() }
            #expect(error?.status == 403)
            let response = try await client.execute(uri: "/files", method: .get)
            #expect(response.status == .badGateway)
        }
    }

    @Test("Names the variable that is missing", arguments: ["SERVICE_ACCOUNT", "WORKSPACE_USER"])
    func missing(_ name: String) async throws {
        await #expect(throws: InvalidRequestError.self) { try await Self.withService([name: ""]) { _, _, _ in } }
    }
}
