// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAgent

/// The directories in which the programs store their files.
package enum UserDirectories {
    /// `$XDG_DATA_HOME/tessera`, or `~/.local/share/tessera`; on macOS `~/Library/Application Support/tessera`.
    static var data: String? { Self.user(.applicationSupportDirectory) }

    /// `$XDG_CACHE_HOME/tessera`, or `~/.cache/tessera`; on macOS `~/Library/Caches/tessera`.
    package static var caches: String? { Self.user(.cachesDirectory) }

    /// The directory of access tokens that the user wants to have stored: next to the agent's socket, which ends with the
    /// user's login session where the system has such a place.
    static var tokens: String? { AgentPlace.ofUser.socket.parentDirectory.map { $0 + "/tokens" } }

    private static func user(_ directory: FileManager.SearchPathDirectory) -> String? {
        FileManager.default.urls(for: directory, in: .userDomainMask).first
            .map {
                $0.appending(path: "tessera", directoryHint: .notDirectory).path(percentEncoded: false)
            }
    }
}
