// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// Where the sockets of the programs lie that wait for redirects of one scheme; every call blocks.
struct RedirectFolder: Sendable {
    private let directory: String
    private let path: String

    /// The folder's name has a fixed length, whatever the scheme's: a socket's path may have 107 bytes.
    init(of scheme: PrivateScheme, in directory: String) {
        self.directory = directory
        self.path = "\(directory)/\(Hexadecimal.sha256(of: scheme.name).prefix(16))"
    }

    /// Makes the folder, and finds a name for a socket in it.
    ///
    /// - Throws: ``SignInError`` `noListener` where it cannot be made, or is not this user's alone.
    func newSocket() throws(SignInError) -> String {
        guard !self.directory.isEmpty else {
            throw SignInError(.noListener, detail: "neither XDG_RUNTIME_DIR nor a home directory is known")
        }
        do {
            try FileSystem.makeDirectory(self.directory)
            try FileSystem.makeDirectory(self.path)
        } catch {
            throw SignInError(.noListener, detail: error.description)
        }
        for path in [self.directory, self.path] where !FileSystem.isPrivateDirectory(path) {
            throw SignInError(.noListener, detail: "\(path) is not this user's alone (chmod 700 it)")
        }
        return "\(self.path)/\(String(UInt64.random(in: 0 ... .max), radix: 36)).socket"
    }

    /// Whether what lies here was put here by this user.
    var isTrusted: Bool { FileSystem.isPrivateDirectory(self.directory) && FileSystem.isPrivateDirectory(self.path) }

    /// The sockets that are here, those of dead programs too.
    var sockets: [String] {
        let names = (try? FileSystem.names(in: self.path)) ?? []
        return names.filter { $0.hasSuffix(".socket") }.sorted().map { "\(self.path)/\($0)" }
    }
}
