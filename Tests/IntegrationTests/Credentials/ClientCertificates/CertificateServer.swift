// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// An nginx on loopback that requires client certificates, as Google's token service and metadata server do.
///
/// The tokens that it issues are the fingerprints of the clients' certificates.
struct CertificateServer: Sendable {
    /// The authority of the server's certificate and of the clients' certificates.
    let authority: TestAuthority
    /// A directory for the files of a test.
    let directory: String
    private let port: UInt16

    /// The host and the port.
    var address: String { "localhost:\(self.port)" }

    /// A message that lists the programs missing to start the server, or nil.
    static let missing = Self.nginx == nil ? "nginx is not installed" : ChildProgram.missing(["openssl"])

    /// Debian installs nginx in a directory that is not in the `PATH` of users.
    private static let nginx =
        ChildProgram.find("nginx") ?? ["/usr/sbin/nginx"].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs `body` with a new server, which is always stopped afterwards.
    static func with<Result>(_ body: (CertificateServer) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let authority = try await TestAuthority(directory: directory.path + "/authority")
        let certificate = try await authority.issue("server", for: .server)
        let (program, port) = try await Self.start(authority, certificate, directory)
        do {
            let server = CertificateServer(authority: authority, directory: directory.path, port: port)
            let result = try await body(server)
            await program.terminate()
            return result
        } catch {
            await program.terminate()
            throw error
        }
    }

    /// Starts nginx, up to three times, because another process can take the port.
    private static func start(
        _ authority: TestAuthority,
        _ certificate: TestCertificate,
        _ directory: URL
    ) async throws -> (ChildProgram, port: UInt16) {
        var messages: [String] = []
        for _ in 0..<3 {
            let port = try FreePort.find()
            let file = directory.appendingPathComponent("nginx.conf")
            try Data(Self.configuration(port, authority, certificate, directory.path).utf8).write(to: file)
            let words = [Self.nginx ?? "nginx", "-p", directory.path, "-c", file.path]
            let program = try ChildProgram(words, readsErrors: true)
            // nginx logs the event method after it has opened its sockets.
            let start = await program.errors.line { line in
                messages.append(line)
                return line.contains("event method")
            }
            if start != nil { return (program, port) }
            await program.terminate()
        }
        throw CertificateServerError(messages: messages)
    }

    private static func configuration(
        _ port: UInt16,
        _ authority: TestAuthority,
        _ certificate: TestCertificate,
        _ directory: String
    ) -> String {
        let directories = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/\($0);" }
        let token = #"{"access_token":"$ssl_client_fingerprint","expires_in":3600,"token_type":"Bearer""#
        let account = #"{"email":"machine@example.com","scopes":["scope-a"]}"#
        // A location does not inherit conditions.
        let check = "if ($http_metadata_flavor != Google) { return 403; }"
        let accounts = "/computeMetadata/v1/instance/service-accounts"
        return """
            daemon off;
            master_process off;
            pid \(directory)/nginx.pid;
            error_log stderr notice;
            events {}
            http {
                access_log off;
                default_type application/json;
                \(directories.joined(separator: "\n    "))
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(certificate.certificatePath);
                    ssl_certificate_key \(certificate.keyPath);
                    ssl_client_certificate \(authority.certificatePath);
                    ssl_verify_client on;
                    location = /v1/token {
                        return 200 '\(token),"issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}';
                    }
                    location \(accounts)/ {
                        add_header Metadata-Flavor Google;
                        location = \(accounts)/default/ { \(check) return 200 '\(account)'; }
                        location = \(accounts)/default/token { \(check) return 200 '\(token)}'; }
                    }
                }
            }

            """
    }
}

/// nginx could not be started.
struct CertificateServerError: Error {
    /// The lines that nginx printed.
    var messages: [String]
}
