// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Where this user's files are.
package enum UserPlaces {
    /// `$XDG_CONFIG_HOME/tessera/keys`, or `~/.config/tessera/keys`; empty where no home directory is known.
    package static var keyDirectory: String { Self.configuration.map { $0 + "/keys" } ?? "" }

    /// The file that holds the name of the store that was chosen at the first sign-in; nil without a home directory.
    package static var chosenStore: String? { Self.configuration.map { $0 + "/store" } }

    /// Where locks lie that belong to no directory of a store; empty where no place is known.
    ///
    /// `$XDG_RUNTIME_DIR/tessera/locks`; `/run/user/…`, which is the same for a process without that variable; else
    /// beside the keys.
    package static var lockDirectory: String {
        if let runtime = Self.variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return runtime + "/tessera/locks" }
        let usual = "/run/user/\(geteuid())"
        if access(usual, W_OK) == 0 { return usual + "/tessera/locks" }
        return Self.configuration.map { $0 + "/locks" } ?? ""
    }

    /// Where programs of this user that wait for a redirect can be reached; empty where no place is known.
    package static var redirectDirectory: String { Self.runtimeDirectory.map { $0 + "/redirects" } ?? "" }

    /// Where the token agent's socket is, unless told otherwise; empty where no place is known.
    package static var agentSocket: String { Self.runtimeDirectory.map { $0 + "/agent.sock" } ?? "" }

    /// Where the command keeps access tokens, when it is told to keep them; empty where no place is known.
    package static var tokenDirectory: String { Self.runtimeDirectory.map { $0 + "/tokens" } ?? "" }

    /// What ends with this user's session, where the system has a place for it.
    ///
    /// `$XDG_RUNTIME_DIR/tessera`; `/run/user/…`, which is the same for a process without that variable; where neither is
    /// this user's alone, a place beside the configuration.
    private static var runtimeDirectory: String? {
        let candidates = [Self.variable("XDG_RUNTIME_DIR"), "/run/user/\(geteuid())"].compactMap(\.self)
        if let runtime = candidates.first(where: Self.isPrivate) { return runtime + "/tessera" }
        return Self.configuration.map { $0 + "/run" }
    }

    /// Whether a directory is this user's alone, as the specification demands of `$XDG_RUNTIME_DIR`.
    private static func isPrivate(_ path: String) -> Bool {
        var status = stat()
        guard path.hasPrefix("/"), stat(path, &status) == 0 else { return false }
        let file = FileStatus(status)
        return file.isDirectory && file.isOwn && file.permissions & 0o077 == 0
    }

    /// `$XDG_CONFIG_HOME/tessera`, or `~/.config/tessera`.
    private static var configuration: String? {
        // «All paths must be absolute. If an implementation encounters a relative path … it should … ignore it.»
        if let configuration = Self.variable("XDG_CONFIG_HOME"), configuration.hasPrefix("/") {
            return configuration + "/tessera"
        }
        return Self.home.map { $0 + "/.config/tessera" }
    }

    /// Where sessions lie when nobody says otherwise, nil without a home directory.
    ///
    /// `$XDG_DATA_HOME/tessera/sessions`, or `~/.local/share/tessera/sessions`; in Application Support on Apple's systems.
    package static var sessionDirectory: String? { Self.data.map { $0 + "/sessions" } }

    /// Where the command keeps what it needs to go on with uploads; nil without a home directory.
    package static var uploadDirectory: String? { Self.data.map { $0 + "/uploads" } }

    /// Where a token agent in the background writes its audit, unless told otherwise; nil without a home directory.
    package static var auditFile: String? { Self.data.map { $0 + "/agent.audit" } }

    /// Where other secrets of programs lie, see ``SealedItems``; nil without a home directory.
    package static var itemDirectory: String? { Self.data.map { $0 + "/items" } }

    /// Where the command keeps what it can get again; nil without a home directory.
    ///
    /// `$XDG_CACHE_HOME/tessera`, or `~/.cache/tessera`; in Caches on Apple's systems.
    package static var cacheDirectory: String? {
        #if canImport(Darwin)
        return Self.home.map { $0 + "/Library/Caches/tessera" }
        #else
        if let caches = Self.variable("XDG_CACHE_HOME"), caches.hasPrefix("/") { return caches + "/tessera" }
        return Self.home.map { $0 + "/.cache/tessera" }
        #endif
    }

    /// `$XDG_DATA_HOME/tessera`, or `~/.local/share/tessera`; in Application Support on Apple's systems.
    private static var data: String? {
        #if canImport(Darwin)
        return Self.home.map { $0 + "/Library/Application Support/tessera" }
        #else
        if let data = Self.variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/tessera" }
        return Self.home.map { $0 + "/.local/share/tessera" }
        #endif
    }

    /// The home directory, from `HOME`.
    package static var home: String? { Self.variable("HOME") }

    /// The path from the root, without a slash at its end; an empty one stays empty.
    package static func absolute(_ path: String, from current: String? = nil) -> String {
        guard !path.isEmpty else { return "" }
        let whole = path.hasPrefix("/") ? path : (current ?? Self.current) + "/" + path
        return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private static var current: String {
        guard let buffer = getcwd(nil, 0) else { return "" }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
