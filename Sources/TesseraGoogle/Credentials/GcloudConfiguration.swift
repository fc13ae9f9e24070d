// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The active configuration of gcloud, which is read without starting gcloud.
struct GcloudConfiguration: Sendable {
    /// The name of the default configuration.
    private static let defaultName = "default"

    /// The project (`core/project`), or nil if none is set.
    let project: String?

    /// Reads the active configuration, or returns nil if gcloud is not configured.
    ///
    /// The initializer blocks.
    init?(_ environment: GoogleEnvironment) {
        guard let directory = environment.gcloudDirectory else { return nil }
        if let project = environment["CLOUDSDK_CORE_PROJECT"] {
            self.project = project
            return
        }
        let active = environment["CLOUDSDK_ACTIVE_CONFIG_NAME"] ?? Self.text(directory + "/active_config")
        let name = active ?? Self.defaultName
        guard !name.contains("/"), let text = Self.text(directory + "/configurations/config_" + name) else {
            return nil
        }
        self.project = Self.value("project", inSection: "core", of: text)
    }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? CredentialFile.contents(of: path, limit: 1 << 20).bytes else { return nil }
        return String(wellFormedUTF8: bytes)?.trimmingWhitespace()
    }

    /// Returns the value of a key in a section of an INI file.
    private static func value(_ key: String, inSection section: String, of text: String) -> String? {
        var current = ""
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingWhitespace() }) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                current = String(line.dropFirst().dropLast())
            } else if current == section, let separator = line.firstIndex(where: { $0 == "=" || $0 == ":" }) {
                let name = line[..<separator].trimmingWhitespace()
                guard name.lowercased() == key else { continue }
                let value = line[line.index(after: separator)...].trimmingWhitespace()
                return value.isEmpty ? nil : value
            }
        }
        return nil
    }
}
