// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

/// A step of the search for Application Default Credentials.
public struct GoogleCredentialSearchStep: Sendable, Hashable {
    /// A place where credentials can be found.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// The file that `GOOGLE_APPLICATION_CREDENTIALS` names.
        case environmentVariable = "GOOGLE_APPLICATION_CREDENTIALS"
        /// The file that `gcloud auth application-default login` writes.
        case gcloudFile = "gcloud"
        /// The metadata server of a machine on Google Cloud.
        case metadataServer = "metadata server"
    }

    /// The place.
    public let source: Source
    /// The path or the address, or nil if there is none.
    public let location: String?
    /// The reason why the step did not find credentials, or nil if it did.
    public let reason: String?

    /// Whether the credentials are in the file that gcloud writes.
    func isGcloudFile(_ environment: GoogleEnvironment) -> Bool {
        self.reason == nil && self.location != nil && self.location == environment.gcloudCredentialFile
    }
}

extension GoogleEnvironment {
    /// The file that `gcloud auth application-default login` writes, or nil if the home directory is unknown.
    var gcloudCredentialFile: String? {
        self.gcloudDirectory.map { $0 + "/application_default_credentials.json" }
    }
}

extension GoogleCredentials {
    /// Finds the credentials of the environment (Application Default Credentials).
    ///
    /// The search has three steps: the file that `GOOGLE_APPLICATION_CREDENTIALS` names, the file that
    /// `gcloud auth application-default login` writes, and the metadata server, which has one second to respond. If the
    /// variable is set but the file cannot be used, the search ends with an error. No token is requested.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the access tokens. Users' credentials ignore them.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` with `notFound` if there are no credentials, or with another code if a
    ///   file cannot be used. Throws `CancellationError`.
    /// - SeeAlso: [How Application Default Credentials works](https://cloud.google.com/docs/authentication/application-default-credentials)
    public static func applicationDefault(
        scopes: [Scope],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) async throws -> GoogleCredentials {
        let loader = try CredentialLoader(options, runtime)
        var steps: [GoogleCredentialSearchStep] = []
        if let path = options.environment["GOOGLE_APPLICATION_CREDENTIALS"] {
            let step = GoogleCredentialSearchStep(source: .environmentVariable, location: path, reason: nil)
            return try await loader.credentials(atPath: path, scopes, [step])
        }
        steps.append(GoogleCredentialSearchStep(source: .environmentVariable, location: nil, reason: "not set"))

        let path = options.environment.gcloudCredentialFile
        if let path, try await BlockingExecutor.reading.run({ try FileSystem.exists(path) }) {
            let step = GoogleCredentialSearchStep(source: .gcloudFile, location: path, reason: nil)
            return try await loader.credentials(atPath: path, scopes, steps + [step])
        }
        steps.append(
            GoogleCredentialSearchStep(
                source: .gcloudFile,
                location: path,
                reason: path == nil ? "the home directory is unknown" : "the file does not exist"
            )
        )
        return try await loader.machineCredentials(scopes, steps)
    }

    /// Creates credentials for a service account of this machine, without checking whether there is a metadata server.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the access tokens, or an empty array for those of the machine.
    ///   - account: The email address of the service account, or `default`.
    ///   - options: The options.
    ///   - runtime: The transport and the clocks. The transport must permit `Insecure/metadataServerHTTP`.
    /// - Returns: The credentials, which you should create once and reuse.
    /// - Throws: ``GoogleCredentialsError`` if the options are not valid.
    public static func metadataServer(
        scopes: [Scope] = [],
        account: String = "default",
        options: GoogleCredentialsOptions = GoogleCredentialsOptions(),
        runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        try CredentialLoader(options, runtime).metadataServer(scopes, account: account, search: [])
    }
}

extension CredentialLoader {
    fileprivate func credentials(
        atPath path: String,
        _ scopes: [Scope],
        _ search: [GoogleCredentialSearchStep]
    ) async throws -> GoogleCredentials {
        let logger = self.options.logger
        let file = try await BlockingExecutor.reading.run { try CredentialFile.read(path, logger: logger) }
        return try self.credentials(file, expecting: GoogleCredentialFileType.all, scopes: scopes, search: search)
    }

    fileprivate func machineCredentials(
        _ scopes: [Scope],
        _ steps: [GoogleCredentialSearchStep]
    ) async throws -> GoogleCredentials {
        let environment = self.options.environment
        let address = try self.metadataAddress()
        let reason: String?
        if environment["NO_GCE_CHECK"] == "true" {
            reason = "NO_GCE_CHECK is true"
        } else if await address.responds(self.client) {
            reason = nil
        } else {
            reason = await Self.isGoogleMachine() ? nil : "no response within one second"
        }
        let step = GoogleCredentialSearchStep(source: .metadataServer, location: address.host, reason: reason)
        try Task.checkCancellation()
        guard reason == nil else {
            let searched = (steps + [step])
                .map { "\($0.source.rawValue): \($0.reason ?? "")" }.joined(separator: "; ")
            throw GoogleCredentialsError(.notFound, reason: "no credentials were found (\(searched))")
        }
        return try self.metadataServer(scopes, account: "default", search: steps + [step])
    }

    fileprivate func metadataServer(
        _ scopes: [Scope],
        account: String,
        search: [GoogleCredentialSearchStep]
    ) throws -> GoogleCredentials {
        guard self.options.subject == nil else {
            throw GoogleCredentialsError(
                .unsupportedOperation,
                reason: "credentials of the kind metadata_server cannot act as another user",
                advice: "Call impersonating(_:scopes:subject:) to act as a user without a key."
            )
        }
        return GoogleCredentials(
            MetadataServer(account: account, address: try self.metadataAddress()),
            scopes: scopes,
            quotaProject: self.options.quotaProject(inFile: nil),
            search: search,
            options: self.options,
            client: self.client
        )
    }

    private func metadataAddress() throws -> MetadataAddress {
        let environment = self.options.environment
        return MetadataAddress(
            environment,
            try MetadataCertificate.find(environment, runtime: self.client.runtime)
        )
    }

    /// Returns whether the firmware of this machine names Google, as on virtual machines that start slowly.
    private static func isGoogleMachine() async -> Bool {
        #if canImport(Darwin)
        false
        #else
        let bytes = try? await BlockingExecutor.reading.run {
            try FileSystem.openFile("/sys/class/dmi/id/product_name", O_RDONLY, mode: 0).bytes(at: 0, count: 64)
        }
        return bytes.map { String(decoding: $0, as: UTF8.self).hasPrefix("Google") } ?? false
        #endif
    }
}
