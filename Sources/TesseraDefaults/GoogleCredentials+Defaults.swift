// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraGoogle
public import TesseraOAuth

#if canImport(Darwin)
internal import TesseraURLSession
#elseif canImport(Glibc) || canImport(Musl)
internal import TesseraCurl
#elseif AsyncHTTPClient
internal import TesseraAsyncHTTPClient
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || AsyncHTTPClient
extension PlatformDefaults {
    /// Returns a runtime for credentials, with the platform's default transport.
    ///
    /// The transport permits plain http to loopback addresses and to metadata servers. On Linux, the runtime can make
    /// transports with client certificates.
    public static func credentialRuntime() -> OAuthRuntime {
        let insecure: Insecure = [.loopbackHTTP, .metadataServerHTTP]
        var runtime = OAuthRuntime(transport: Self.transport(insecure: insecure))
        #if canImport(Glibc) || canImport(Musl)
        runtime.transportWithIdentity = { identity, roots in
            try CurlTransport(clientIdentity: identity, insecure: insecure, additionalTrustRoots: roots)
        }
        #endif
        return runtime
    }
}

extension GoogleCredentials {
    /// Finds the credentials of the environment (Application Default Credentials), with the platform's transport.
    ///
    /// - Throws: `GoogleCredentialsError` or `CancellationError`.
    public static func applicationDefault(
        scopes: [Scope],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions()
    ) async throws -> GoogleCredentials {
        try await Self.applicationDefault(
            scopes: scopes,
            options: options,
            runtime: PlatformDefaults.credentialRuntime()
        )
    }

    /// Loads credentials from a file of an expected type, with the platform's transport.
    ///
    /// - Throws: `GoogleCredentialsError`.
    public static func load(
        _ path: String,
        expecting types: Set<GoogleCredentialFileType>,
        scopes: [Scope] = [],
        options: GoogleCredentialsOptions = GoogleCredentialsOptions()
    ) throws -> GoogleCredentials {
        try Self.load(
            path,
            expecting: types,
            scopes: scopes,
            options: options,
            runtime: PlatformDefaults.credentialRuntime()
        )
    }

    /// Loads a service account's key from a file, with the platform's transport.
    ///
    /// - Throws: `GoogleCredentialsError`.
    public static func serviceAccount(
        keyFile path: String,
        scopes: [Scope],
        subject: String? = nil,
        options: GoogleCredentialsOptions = GoogleCredentialsOptions()
    ) throws -> GoogleCredentials {
        try Self.serviceAccount(
            keyFile: path,
            scopes: scopes,
            subject: subject,
            options: options,
            runtime: PlatformDefaults.credentialRuntime()
        )
    }

    /// Creates credentials for a service account of this machine, with the platform's transport.
    ///
    /// - Throws: `GoogleCredentialsError`.
    public static func metadataServer(
        scopes: [Scope] = [],
        account: String = "default",
        options: GoogleCredentialsOptions = GoogleCredentialsOptions()
    ) throws -> GoogleCredentials {
        try Self.metadataServer(
            scopes: scopes,
            account: account,
            options: options,
            runtime: PlatformDefaults.credentialRuntime()
        )
    }
}
#endif
