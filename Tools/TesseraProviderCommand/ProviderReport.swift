// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import TesseraJSON
internal import TesseraLocalProvider

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What the command says once the provider runs.
struct ProviderReport {
    var provider: LocalProvider
    var clientSecretFile: String

    /// One line with a JSON object, stable for scripts.
    var json: String {
        var members = [
            JSONMember(name: "base_url", value: .string(self.provider.baseURL)),
            JSONMember(name: "issuer", value: .string(self.provider.issuer)),
            JSONMember(name: "port", value: .integer(Int64(self.provider.port))),
            JSONMember(name: "client_id", value: .string(self.provider.clientID)),
            JSONMember(name: "client_secret_file", value: .string(Self.absolute(self.clientSecretFile))),
        ]
        if let file = self.provider.certificateAuthorityFile {
            members.append(JSONMember(name: "certificate_authority_file", value: .string(Self.absolute(file))))
        }
        return JSONNode.object(members).text()
    }

    /// Where it is, and what to do next.
    var prose: String {
        let secret = self.clientSecretFile
        var lines = [
            "Tessera Local Provider is running.",
            "",
            "  Base URL       \(self.provider.baseURL)",
            "  Client secret  \(secret)",
        ]
        if let file = self.provider.certificateAuthorityFile { lines.append("  Authority      \(file)") }
        lines += ["", "Sign in with Tessera:", "  \(self.login)", "or with Google’s Python library:"]
        if let file = self.provider.certificateAuthorityFile {
            lines.append("  export REQUESTS_CA_BUNDLE=\(file)")
        } else {
            lines.append("  export OAUTHLIB_INSECURE_TRANSPORT=1   # since this is http on the loopback address")
        }
        lines += ["  InstalledAppFlow.from_client_secrets_file(\"\(secret)\", scopes)", "", "Ctrl-C stops it."]
        return lines.joined(separator: "\n")
    }

    private var login: String {
        let client = "tessera login --issuer \(self.provider.issuer) --client \(self.clientSecretFile)"
        guard let file = self.provider.certificateAuthorityFile else { return client + " --allow-loopback-http" }
        return "SSL_CERT_FILE=\(file) \(client)"
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Whether a client file may be written there: a downloaded one of a real provider must not be lost.
    static func mayReplace(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)),
            let id = (try? JSONValue(parsing: Array(bytes)))?["installed"]?["client_id"]?.string
        else { return false }
        return id == LocalProviderClient.desktop.id
    }

    /// Writes a file that only its owner can read; it holds a client's secret.
    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Prints at once, also into a pipe.
    static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }
}
#endif
