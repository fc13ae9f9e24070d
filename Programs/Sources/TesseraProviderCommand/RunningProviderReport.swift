// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraJSON
internal import TesseraLocalProvider

/// The output of the command once the provider is running.
struct RunningProviderReport {
    var provider: LocalProvider
    var clientSecretFile: String
    /// The path of the service account's key, or `nil` if there are no cloud endpoints.
    var serviceAccountKeyFile: String?

    /// One line with a JSON object in a format that is stable for scripts.
    var json: String {
        var members = [
            JSONMember(name: "base_url", value: .string(self.provider.baseURL)),
            JSONMember(name: "issuer", value: .string(self.provider.issuer)),
            JSONMember(name: "address", value: .string(self.provider.address)),
            JSONMember(name: "port", value: .integer(Int64(self.provider.port))),
            JSONMember(name: "client_id", value: .string(self.provider.clientID)),
            JSONMember(name: "client_secret_file", value: .string(self.clientSecretFile.absolutePath)),
        ]
        if let file = self.provider.certificateAuthorityFile {
            members.append(JSONMember(name: "certificate_authority_file", value: .string(file.absolutePath)))
        }
        if let file = self.serviceAccountKeyFile {
            members.append(JSONMember(name: "service_account_key_file", value: .string(file.absolutePath)))
            let variables = self.environment.map { JSONMember(name: $0.name, value: .string($0.value)) }
            members.append(JSONMember(name: "environment", value: .object(variables)))
        }
        return JSONNode.object(members).text()
    }

    /// The address and instructions for the next steps.
    var prose: String {
        let secret = self.clientSecretFile
        var lines = [
            "Tessera Local Provider is running.",
            "",
            "  Base URL       \(self.provider.baseURL)",
            "  Listening at   \(self.provider.address)",
            "  Client secret  \(secret)",
        ]
        if let file = self.provider.certificateAuthorityFile { lines.append("  Authority      \(file)") }
        if let file = self.serviceAccountKeyFile { lines.append("  Key file       \(file)") }
        lines += ["", "Sign in and list files with Tessera:"] + self.commands.map { "  " + $0 }
        lines += ["Without a browser, add --browser 'tessera-provider walk' to the first command.", ""]
        lines += ["Sign in with Google’s Python library:"]
        if let file = self.provider.certificateAuthorityFile {
            lines.append("  export REQUESTS_CA_BUNDLE=\(file)")
        } else {
            lines.append("  export OAUTHLIB_INSECURE_TRANSPORT=1   # required for http on a loopback address")
        }
        lines.append("  InstalledAppFlow.from_client_secrets_file(\"\(secret)\", scopes)")
        if self.serviceAccountKeyFile != nil {
            lines += ["", "Get credentials without a user, from the key or from the metadata server:"]
            lines += self.environment.map { "  export \($0.name)=\($0.value)" }
            lines += ["Cloud endpoints are also at \(self.provider.baseURL)/cloud/HOST/PATH."]
        }
        lines += ["", "Press Ctrl-C to stop it."]
        return lines.joined(separator: "\n")
    }

    /// The warning that is printed if other machines can reach the provider.
    var warning: String {
        """
        tessera-provider: Warning: other machines can reach \(self.provider.address). They can sign in as any of this \
        provider's users, and read and change the files.
        """
    }

    /// The environment variables with which Google's libraries use the cloud endpoints.
    private var environment: [(name: String, value: String)] {
        guard let file = self.serviceAccountKeyFile else { return [] }
        let key = ("GOOGLE_APPLICATION_CREDENTIALS", file.absolutePath)
        // Google's libraries call the metadata server over plain http.
        guard self.provider.certificateAuthorityFile == nil else { return [key] }
        return [key] + ["GCE_METADATA_HOST", "GCE_METADATA_IP"].map { ($0, self.provider.metadataHost) }
    }

    private var commands: [String] {
        let scopes = "--scope openid --scope email --scope https://www.googleapis.com/auth/drive.readonly"
        let list = "tessera drive ls --root-url \(self.provider.baseURL)"
        guard let file = self.provider.certificateAuthorityFile else {
            return ["tessera login --client \(self.clientSecretFile) --allow-loopback-http \\", "  \(scopes)", list]
        }
        return [
            "export SSL_CERT_FILE=\(file)", "tessera login --client \(self.clientSecretFile) \\", "  \(scopes)", list,
        ]
    }

    /// Returns whether the file is missing or belongs to a local provider, so that a real provider's file is never
    /// lost.
    static func mayReplace(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)),
            let document = try? JSONValue(parsing: Array(bytes)),
            let id = (document["installed"] ?? document["web"])?["client_id"]?.string
        else { return false }
        return [LocalProviderClient.desktop.id, LocalProviderClient.web(redirectURIs: []).id].contains(id)
    }

    /// Returns whether the file is missing or a key of a local provider, so that a real key is never lost.
    static func mayReplaceKey(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)),
            let document = try? JSONValue(parsing: Array(bytes)),
            let email = document["client_email"]?.string
        else { return false }
        return LocalServiceAccount.samples.contains { $0.email == email }
    }
}
