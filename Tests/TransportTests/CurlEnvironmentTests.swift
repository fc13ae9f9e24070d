// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import Foundation
internal import HTTPTypes
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Each test runs in its own process, whose environment it may change.
@Suite("Environment settings that the libcurl transport ignores", .timeLimit(.minutes(1)))
struct CurlEnvironmentTests {
    @Test(
        "Does not log TLS keys to SSLKEYLOGFILE",
        .enabled(if: CurlLibrary.loaded.canForbidKeyLog, "CurlTransport rejects this library and SSLKEYLOGFILE")
    )
    func keyLog() async {
        await #expect(processExitsWith: .success) {
            try await Self.withFolder { folder in
                let log = folder.appendingPathComponent("keys").path
                setenv("SSLKEYLOGFILE", log, 1)
                let authority = try TestIdentity.Authority()
                let server = try await TLSTestServer(authority.identity(for: "localhost"))
                try await withFile(authority.pem) { path in
                    let transport = CurlTransport(additionalTrustRoots: [path])
                    let (response, _) = try await transport.get(from: "localhost:\(server.port)")
                    #expect(response.status == .ok)
                }
                let keys = FileManager.default.contents(atPath: log) ?? Data()
                #expect(keys.isEmpty)
            }
        }
    }

    @Test("Ignores configuration files of the user and variables of other programs")
    func userFiles() async {
        await #expect(processExitsWith: .success) {
            try await Self.withFolder { folder in
                let files = [
                    ".netrc": "machine localhost login user password SECRET\ndefault login user password SECRET\n",
                    ".curlrc": "header = \"X-Injected: 1\"\nproxy = http://127.0.0.1:1\n",
                ]
                for (name, text) in files {
                    let file = folder.appendingPathComponent(name)
                    try Data(text.utf8).write(to: file)
                    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                }
                for name in ["HOME", "CURL_HOME", "XDG_CONFIG_HOME"] { setenv(name, folder.path, 1) }
                setenv("NETRC", folder.appendingPathComponent(".netrc").path, 1)
                for name in ["http_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
                    setenv(name, "http://127.0.0.1:1", 1)
                }
                let server = try HostileServer.start { _ in .respond(body: []) }
                defer { server.stop() }
                let transport = CurlTransport(insecure: .loopbackHTTP)
                _ = try await transport.get(from: "localhost:\(server.port)", scheme: "http")
                #expect(server.requests.map { $0.head.headerFields.map(\.name.canonicalName) } == [["host"]])
            }
        }
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
#endif
