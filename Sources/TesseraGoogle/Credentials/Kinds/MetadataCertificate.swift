// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The client certificate for requests to the metadata server (`GCE_METADATA_MTLS_MODE`).
///
/// - SeeAlso: [Overview of the HTTPS metadata server endpoint](https://cloud.google.com/compute/docs/metadata/overview#https-mds)
struct MetadataCertificate: Sendable {
    let transport: any HTTPTransport
    /// Whether requests are sent without the certificate if it does not work.
    let isOptional: Bool

    /// Returns the certificate that the environment requires, or nil if requests are sent without one.
    ///
    /// - Throws: ``GoogleCredentialsError`` if the mode is unknown, or if a certificate is required and missing.
    static func find(
        _ environment: GoogleEnvironment,
        runtime: OAuthRuntime,
        directory: String = "/run/google-mds-mtls"
    ) throws -> MetadataCertificate? {
        let mode = environment["GCE_METADATA_MTLS_MODE"]?.lowercased() ?? "none"
        guard ["strict", "none", "default"].contains(mode) else {
            throw Self.invalid("the mode must be strict, none or default")
        }
        guard mode != "none" else { return nil }
        guard let makeTransport = runtime.transportWithIdentity else {
            guard mode == "strict" else { return nil }
            throw Self.invalid("the transport does not support client certificates")
        }
        let overridden = environment.first(of: "GCE_METADATA_HOST", "GCE_METADATA_ROOT")
        if mode == "strict", let overridden, !["metadata.google.internal", "169.254.169.254"].contains(overridden) {
            throw Self.invalid("certificates work only with the default metadata server")
        }
        let root = directory + "/root.crt"
        guard Self.read(root) != nil, let client = Self.read(directory + "/client.key") else {
            guard mode == "strict" else { return nil }
            throw Self.invalid("the certificates in \(directory) are missing")
        }
        // One file contains both the certificate and the key.
        let identity = ClientIdentity(certificateChain: client, privateKey: Secret(client))
        return MetadataCertificate(
            transport: try makeTransport(identity, [root]),
            isOptional: mode == "default"
        )
    }

    private static func read(_ path: String) -> String? {
        guard let file = try? CredentialFile.contents(of: path, limit: 1 << 20) else { return nil }
        return String(wellFormedUTF8: file.bytes)
    }

    private static func invalid(_ reason: String) -> GoogleCredentialsError {
        GoogleCredentialsError(.invalidConfiguration, at: "GCE_METADATA_MTLS_MODE", reason: reason)
    }
}
