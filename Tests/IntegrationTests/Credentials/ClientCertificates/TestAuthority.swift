// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// A certificate authority that openssl created for one test.
///
/// All authorities have the same name, so that a server can distinguish them only by their keys.
struct TestAuthority: Sendable {
    /// The directory of the authority's files.
    let directory: String
    private let ownFiles: TestCertificate

    /// The path of the authority's certificate in PEM.
    var certificatePath: String { self.ownFiles.certificatePath }

    /// Creates an authority in a new directory.
    init(directory: String) async throws {
        self.directory = directory
        self.ownFiles = TestCertificate(directory: directory, name: "authority")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(Self.configuration.utf8).write(to: URL(fileURLWithPath: directory + "/openssl.cnf"))
        try await self.create(self.ownFiles, subject: "Tessera test authority", extensions: "authority")
    }

    /// The use of a certificate, by its section in the configuration.
    enum Usage: String {
        case client
        case server
    }

    /// Issues a certificate that is valid for two days.
    func issue(_ name: String, for usage: Usage = .client) async throws -> TestCertificate {
        let files = TestCertificate(directory: self.directory, name: name)
        let issuer = ["-CA", self.ownFiles.certificatePath, "-CAkey", self.ownFiles.keyPath]
        try await self.create(files, subject: name, extensions: usage.rawValue, issuer: issuer)
        return files
    }

    private func create(
        _ files: TestCertificate,
        subject: String,
        extensions: String,
        issuer: [String] = []
    ) async throws {
        try await OpenSSL.run(
            [
                "req", "-x509", "-config", self.directory + "/openssl.cnf", "-extensions", extensions, "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=\(subject)",
                "-keyout", files.keyPath, "-out", files.certificatePath,
            ] + issuer
        )
    }

    private static let configuration = """
        [req]
        distinguished_name = name
        [name]
        [authority]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign
        [server]
        basicConstraints = critical, CA:FALSE
        extendedKeyUsage = serverAuth
        subjectAltName = DNS:localhost
        [client]
        basicConstraints = critical, CA:FALSE
        extendedKeyUsage = clientAuth

        """
}

/// A certificate and its private key in PEM files.
struct TestCertificate: Sendable {
    let certificatePath: String
    let keyPath: String

    fileprivate init(directory: String, name: String) {
        self.certificatePath = "\(directory)/\(name).crt"
        self.keyPath = "\(directory)/\(name).key"
    }

    /// Returns the SHA-1 hash of the certificate in hexadecimal, as nginx shows it.
    func fingerprint() async throws -> String {
        let output = try await OpenSSL.run(["x509", "-in", self.certificatePath, "-noout", "-fingerprint", "-sha1"])
        // For example "sha1 Fingerprint=01:AB:…".
        return output.split(separator: "=").last?.filter(\.isHexDigit).lowercased() ?? ""
    }
}

private enum OpenSSL {
    /// Runs openssl and returns its output.
    ///
    /// - Throws: ``OpenSSLError`` with what it printed to standard error.
    @discardableResult
    static func run(_ arguments: [String]) async throws -> String {
        let program = try ChildProgram(["openssl"] + arguments, readsErrors: true)
        program.closeInput()
        let (output, status) = await program.finish()
        guard status == 0 else {
            throw OpenSSLError(arguments: arguments, message: await program.errors.lines().joined(separator: "\n"))
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// openssl failed.
struct OpenSSLError: Error {
    /// The arguments of openssl.
    var arguments: [String]
    /// The text that openssl printed to standard error.
    var message: String
}
