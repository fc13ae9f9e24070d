// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAgent

/// The directories in which the programs store their files.
package enum UserDirectories {
    /// The data directory: `$XDG_DATA_HOME/tessera` or `~/.local/share/tessera`, and on macOS `~/Library/Application
    /// Support/tessera`.
    static var data: String? { Self.user(.applicationSupportDirectory) }

    /// The cache directory: `$XDG_CACHE_HOME/tessera` or `~/.cache/tessera`, and on macOS `~/Library/Caches/tessera`.
    package static var caches: String? { Self.user(.cachesDirectory) }

    /// The directory for cached access tokens.
    ///
    /// It is next to the agent's socket. On systems that support this, its contents are removed when the user logs out.
    static var tokens: String? { AgentLocation.currentUser.socket.parentDirectory.map { $0 + "/tokens" } }

    private static func user(_ directory: FileManager.SearchPathDirectory) -> String? {
        FileManager.default.urls(for: directory, in: .userDomainMask).first
            .map {
                $0.appending(path: "tessera", directoryHint: .notDirectory).path(percentEncoded: false)
            }
    }
}
