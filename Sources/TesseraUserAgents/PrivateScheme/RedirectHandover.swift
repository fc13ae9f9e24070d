// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
            let taken = folder.sockets.filter { RedirectDelivery(of: argument, to: $0).run() }
            return !taken.isEmpty
        }
        return false
    }
}
