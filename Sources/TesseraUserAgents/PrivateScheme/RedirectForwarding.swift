// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// Forwards a redirect from the process that the system started for it to the process that is waiting for it.
///
/// A Linux desktop starts a new process of the program for each URL with its private scheme, even though the process
/// that began the sign-in is still running. While ``PrivateSchemeBrowser`` is waiting, it listens on a socket. Forward
/// the URL to it when the program starts:
///
/// ```swift
/// if RedirectForwarding().deliver(CommandLine.arguments) { exit(0) }
/// ```
///
/// Each process checks that the other belongs to the same user. A forged redirect has no effect, because redirects are
/// validated by their `state`.
public struct RedirectForwarding: Sendable, Hashable {
    /// The directory for the sockets of waiting processes, with a subdirectory for each scheme.
    ///
    /// Only the current user has access to the directory.
    public let directory: String

    /// Creates a forwarder for processes that use the same directory.
    ///
    /// - Parameter directory: The directory, which is created with mode 0700 when the first process waits. By default,
    ///   it is in `$XDG_RUNTIME_DIR`, or next to the user's configuration if that directory is missing or not private
    ///   to the user.
    public init(directory: String = RedirectForwarding.userDirectory) {
        self.directory = UserFolders.absolute(directory)
    }

    /// The platform's default, which is nil on Apple platforms because they deliver URLs to the running process.
    public static var platformDefault: RedirectForwarding? {
        #if canImport(Darwin)
        nil
        #else
        RedirectForwarding()
        #endif
    }

    /// The directory shared by all of this user's programs.
    public static var userDirectory: String { UserFolders.current.redirectDirectory }

    /// Forwards a redirect to the processes that are waiting for one with its scheme.
    ///
    /// Call this method before anything else in the program. It blocks for up to 5 seconds if a waiting process does
    /// not respond. If it returns false, no process is waiting for the URL, and the program should start normally.
    ///
    /// - Parameter arguments: The program's arguments. The first URL with a private scheme is forwarded.
    /// - Returns: Whether a process accepted the redirect. If so, this process has nothing left to do.
    public func deliver(_ arguments: [String]) -> Bool {
        for argument in arguments {
            guard let scheme = PrivateScheme(of: argument) else { continue }
            let folder = RedirectFolder(of: scheme, in: self.directory)
            guard folder.isTrusted else { return false }
            // Forward to all waiting processes. Each one checks by `state` whether the redirect belongs to it.
            let taken = folder.sockets.filter { Self.deliver(argument, to: $0) }
            return !taken.isEmpty
        }
        return false
    }

    /// Sends a redirect to the process at a socket and returns whether it was accepted.
    ///
    /// The method blocks. It removes the socket if its process has ended.
    private static func deliver(_ redirect: String, to path: String) -> Bool {
        let request = LoopbackRequest(method: "POST", target: "/", body: Array(redirect.utf8))
        do throws(LoopbackError) {
            return try LocalExchange.send(request, to: path, timeout: .seconds(5), limit: 4_096).status == 200
        } catch {
            if error.isStaleSocket { try? FileSystem.remove(path) }
            return false
        }
    }
}

/// A socket on which a process receives redirects forwarded by other processes of the program.
struct RedirectListener: Sendable {
    private let server: LoopbackServer
    private let path: String

    /// Starts listening.
    ///
    /// - Throws: ``SignInError`` with the code `noListener`.
    static func start(
        for scheme: PrivateScheme,
        at forwarding: RedirectForwarding,
        _ redirects: ForwardedRedirects
    ) async throws -> RedirectListener {
        let folder = RedirectFolder(of: scheme, in: forwarding.directory)
        return try await BlockingExecutor.shared.run {
            let path = try folder.newSocket()
            do throws(LoopbackError) {
                let server = try LoopbackServer.start(at: path) { request in
                    Self.response(request, for: scheme, redirects)
                }
                return RedirectListener(server: server, path: path)
            } catch {
                throw SignInError(.noListener, detail: "\(path): \(error)")
            }
        }
    }

    /// Stops listening and waits until all responses have been sent, so that the program can exit safely.
    func stop() async {
        let path = self.path
        try? await BlockingExecutor.shared.run { try FileSystem.remove(path) }
        self.server.stop()
        await self.server.stopped()
    }

    private static func response(
        _ request: LoopbackRequest,
        for scheme: PrivateScheme,
        _ redirects: ForwardedRedirects
    ) -> LoopbackResponse {
        guard request.method == "POST", let text = String(wellFormedUTF8: request.body),
            PrivateScheme(of: text) == scheme, let url = URL(string: text)
        else { return .text(status: 400, "Not a redirect.\n") }
        return redirects.receive(url)
            ? .text(status: 200, "Delivered.\n") : .text(status: 404, "No sign-in is waiting for this redirect.\n")
    }
}

/// The directory for the sockets of processes that are waiting for redirects with a particular scheme.
///
/// All of its methods block.
struct RedirectFolder: Sendable {
    private let directory: String
    private let path: String

    /// Creates a folder with a fixed-length name, because the path of a socket is limited to 107 bytes.
    init(of scheme: PrivateScheme, in directory: String) {
        self.directory = directory
        self.path = "\(directory)/\(Hexadecimal.sha256(of: scheme.name).prefix(16))"
    }

    /// Creates the directory and returns the path for a new socket in it.
    ///
    /// - Throws: ``SignInError`` with the code `noListener` if the directory cannot be created or is not private to
    ///   this user.
    func newSocket() throws -> String {
        guard !self.directory.isEmpty else {
            throw SignInError(.noListener, detail: "neither XDG_RUNTIME_DIR nor a home directory is available")
        }
        do {
            try FileSystem.makeDirectory(self.directory)
            try FileSystem.makeDirectory(self.path)
        } catch {
            throw SignInError(.noListener, detail: error.description)
        }
        for path in [self.directory, self.path] where !FileSystem.isPrivateDirectory(path) {
            throw SignInError(.noListener, detail: "other users have access to \(path) (run chmod 700 on it)")
        }
        return "\(self.path)/\(String(UInt64.random(in: 0 ... .max), radix: 36)).socket"
    }

    /// Whether only this user could have created the sockets in this directory.
    var isTrusted: Bool { FileSystem.isPrivateDirectory(self.directory) && FileSystem.isPrivateDirectory(self.path) }

    /// The sockets in the directory, including those of processes that have ended.
    var sockets: [String] {
        let names = (try? FileSystem.names(in: self.path)) ?? []
        return names.filter { $0.hasSuffix(".socket") }.sorted().map { "\(self.path)/\($0)" }
    }
}
