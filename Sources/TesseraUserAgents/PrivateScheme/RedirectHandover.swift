// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// Carries a redirect from the process that the system starts with it to the one that waits for it.
///
/// A Linux desktop starts a program anew for each URL of its private scheme, while the process that began the sign-in
/// runs on. ``PrivateSchemeBrowser`` listens on a socket as long as it waits; the program's first line hands the URL
/// over:
///
/// ```swift
/// if RedirectHandover().deliver(CommandLine.arguments) { exit(0) }
/// ```
///
/// Both processes make sure that the other one belongs to the same user. A redirect that somebody forges changes
/// nothing: it is judged by its `state`, as everywhere.
public struct RedirectHandover: Sendable, Hashable {
    /// Where the sockets of waiting programs lie, in a folder for each scheme; this user's alone.
    public let directory: String

    /// The hand-over between programs that name the same directory.
    ///
    /// - Parameter directory: Made with mode 0700 when a program waits first. The default is a place in
    ///   `$XDG_RUNTIME_DIR`, or beside the user's configuration where that is missing or not the user's own.
    public init(directory: String = RedirectHandover.userDirectory) {
        self.directory = UserPlaces.absolute(directory)
    }

    /// What a platform needs where the program does not say: nil on Apple's systems, which give URLs to the process that
    /// runs.
    public static var ofPlatform: RedirectHandover? {
        #if canImport(Darwin)
        nil
        #else
        RedirectHandover()
        #endif
    }

    /// The place that all programs of this user share.
    public static var userDirectory: String { UserPlaces.current.redirectDirectory }

    /// Gives a redirect to the processes that wait for one with its scheme.
    ///
    /// For the first line of a program, before anything else runs: it blocks, for five seconds at most where a process
    /// that waits does not answer. Where it returns false the program goes on as if nothing had been asked; nobody
    /// waits then, or the URL is another one than those that are waited for.
    ///
    /// - Parameter arguments: The program's. The first that is a URL of a private scheme is meant.
    /// - Returns: whether a process took it: then this one has nothing to do.
    public func deliver(_ arguments: [String]) -> Bool {
        for argument in arguments {
            guard let scheme = PrivateScheme(of: argument) else { continue }
            let folder = RedirectFolder(of: scheme, in: self.directory)
            guard folder.isTrusted else { return false }
            // Each that waits gets it, and knows by the state whether it is meant.
            let taken = folder.sockets.filter { Self.deliver(argument, to: $0) }
            return !taken.isEmpty
        }
        return false
    }

    /// Whether the program at a socket took a redirect; blocks.
    ///
    /// A dead program's socket is removed.
    private static func deliver(_ redirect: String, to path: String) -> Bool {
        let request = LoopbackRequest(method: "POST", target: "/", body: Array(redirect.utf8))
        do throws(LoopbackError) {
            return try LocalExchange.send(request, to: path, timeout: .seconds(5), limit: 4_096).status == 200
        } catch {
            if error.isSocketDead { try? FileSystem.remove(path) }
            return false
        }
    }
}

/// A socket on which a program takes the redirects that its other processes were started with.
struct RedirectListener: Sendable {
    private let server: LoopbackServer
    private let path: String

    /// Begins to listen.
    ///
    /// - Throws: ``SignInError`` `noListener`.
    static func start(
        for scheme: PrivateScheme,
        at handover: RedirectHandover,
        _ redirects: HandedRedirects
    ) async throws -> RedirectListener {
        let folder = RedirectFolder(of: scheme, in: handover.directory)
        return try await BlockingExecutor.shared.run {
            let path = try folder.newSocket()
            do throws(LoopbackError) {
                let server = try LoopbackServer.start(at: path) { request in
                    Self.answer(request, for: scheme, redirects)
                }
                return RedirectListener(server: server, path: path)
            } catch {
                throw SignInError(.noListener, detail: "\(path): \(error)")
            }
        }
    }

    /// Ends listening; returns when every answer is on its way, so that the program may exit.
    func stop() async {
        let path = self.path
        try? await BlockingExecutor.shared.run { try FileSystem.remove(path) }
        self.server.stop()
        await self.server.stopped()
    }

    private static func answer(
        _ request: LoopbackRequest,
        for scheme: PrivateScheme,
        _ redirects: HandedRedirects
    ) -> LoopbackResponse {
        guard request.method == "POST", let text = String(wellFormedUTF8: request.body),
            PrivateScheme(of: text) == scheme, let url = URL(string: text)
        else { return .text(status: 400, "Not a redirect.\n") }
        return redirects.receive(url) ? .text(status: 200, "Taken.\n") : .text(status: 404, "Nobody waits for it.\n")
    }
}

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
    func newSocket() throws -> String {
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
