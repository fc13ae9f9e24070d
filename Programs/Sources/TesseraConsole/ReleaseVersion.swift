// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The version of the package, which scripts read from this file.
package enum ReleaseVersion {
    package static let number = "0.1.0"

    /// The first 12 digits of the commit, or `nil` in a build from a working copy.
    ///
    /// `git archive` replaces the placeholder, because `.gitattributes` sets `export-subst` for this file.
    package static let commit: String? = {
        let text = "$Format:%H$"
        return text.hasPrefix("$") ? nil : String(text.prefix(12))
    }()

    /// The version, commit and platform, for `--version`.
    package static var summary: String {
        "tessera \(Self.number) (\(Self.commit ?? "development build"), \(Self.system)-\(Self.architecture))"
    }

    private static var system: String {
        #if canImport(Darwin)
        "macos"
        #elseif canImport(Musl)
        "linux-musl"
        #else
        "linux"
        #endif
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "arm64"
        #else
        "unknown"
        #endif
    }
}
