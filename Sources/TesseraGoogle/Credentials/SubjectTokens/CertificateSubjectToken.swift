// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A client certificate that is presented to Google's token service, along with its chain as the subject token.
///
/// - SeeAlso: [Workload Identity Federation with X.509 certificates](https://cloud.google.com/iam/docs/workload-identity-federation-with-x509-certificates)
struct CertificateSubjectToken: SubjectTokenSource {
    private let configurationPath: String
    private let trustChainPath: String?

    init(_ source: CredentialFile, _ environment: GoogleEnvironment) throws(GoogleCredentialsError) {
        guard let certificate = try source.child("certificate") else { throw source.invalid("certificate is missing") }
        let location = try certificate.string("certificate_config_location")
        let usesDefault = try certificate.bool("use_default_certificate_config")
        guard (location != nil) != usesDefault else {
            throw source.invalid(
                "credential_source.certificate needs either certificate_config_location or "
                    + "use_default_certificate_config"
            )
        }
        guard let path = location ?? Self.defaultPath(environment) else {
            throw source.invalid("the certificate configuration cannot be found, because the home directory is unknown")
        }
        self.configurationPath = path
        self.trustChainPath = try certificate.string("trust_chain_path")
    }

    private static func defaultPath(_ environment: GoogleEnvironment) -> String? {
        environment.first(
            of: "GOOGLE_API_CERTIFICATE_CONFIG",
            "CLOUDSDK_CONTEXT_AWARE_CERTIFICATE_CONFIG_FILE_PATH"
        ) ?? environment.gcloudDirectory.map { $0 + "/certificate_config.json" }
    }

    /// The certificate and the private key in PEM.
    private func identity() throws(GoogleCredentialsError) -> ClientIdentity {
        let bytes = try CredentialFile.contents(of: self.configurationPath, limit: 1 << 20).bytes
        let file = try CredentialFile(parsing: bytes, path: self.configurationPath)
        guard let workload = try file.child("cert_configs")?.child("workload") else {
            throw file.invalid("cert_configs.workload is missing")
        }
        return ClientIdentity(
            certificateChain: try Self.text(try workload.required("cert_path")),
            privateKey: Secret(try Self.text(try workload.required("key_path")))
        )
    }

    private static func text(_ path: String) throws(GoogleCredentialsError) -> String {
        let bytes = try CredentialFile.contents(of: path, limit: 1 << 20).bytes
        guard let text = String(wellFormedUTF8: bytes) else {
            throw GoogleCredentialsError(.invalidFile, at: path, reason: "the file is not text in PEM")
        }
        return text
    }

    func transport(_ client: CredentialClient) async throws -> (any HTTPTransport)? {
        guard let makeTransport = client.runtime.transportWithIdentity else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "the transport does not support client certificates",
                advice: "Use CurlTransport or AsyncHTTPClientTransport, or set OAuthRuntime.transportWithIdentity."
            )
        }
        let source = self
        return try makeTransport(try await BlockingExecutor.reading.run { try source.identity() }, [])
    }

    func subjectToken(_ context: SubjectTokenContext, _ client: CredentialClient) async throws -> Secret {
        let source = self
        return try await BlockingExecutor.reading.run { try source.chain() }
    }

    /// Returns the leaf certificate and its chain as a JSON array of base64 texts.
    private func chain() throws(GoogleCredentialsError) -> Secret {
        let leaves = Self.certificates(try self.identity().certificateChain)
        guard let leaf = leaves.first else {
            throw GoogleCredentialsError(
                .subjectToken,
                at: self.configurationPath,
                reason: "the client certificate is not in PEM"
            )
        }
        var chain = [leaf]
        if let path = self.trustChainPath {
            let trusted = Self.certificates(try Self.text(path))
            if let first = trusted.first, first != leaf { chain.append(first) }
            for certificate in trusted.dropFirst() {
                guard certificate != leaf else {
                    throw GoogleCredentialsError(
                        .subjectToken,
                        at: path,
                        reason: "the client certificate must be the first one in the trust chain"
                    )
                }
                chain.append(certificate)
            }
        }
        return Secret(JSONNode.array(chain.map { .string($0) }).text())
    }

    /// Returns the certificates in a PEM text in base64 without line breaks.
    private static func certificates(_ pem: String) -> [String] {
        pem.split(separator: "-----BEGIN CERTIFICATE-----").dropFirst(pem.hasPrefix("-----BEGIN CERT") ? 0 : 1)
            .compactMap { block in
                guard let end = block.firstRange(of: "-----END CERTIFICATE-----") else { return nil }
                let text = block[..<end.lowerBound].filter { !$0.isWhitespace }
                return Base64.decode(Array(text.utf8)).map { Base64.encode($0) }
            }
    }
}
