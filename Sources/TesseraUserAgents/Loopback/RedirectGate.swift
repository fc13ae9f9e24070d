// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraOAuth
internal import TesseraSupport

/// A gate that admits only processes of this user and of root to a redirect listener.
///
/// The gate exists only on Linux, where the kernel lists each connection's owner. A browser keeps its connection open
/// until it has received the response. A client that has closed its end, even if only for sending, can no longer be
/// identified and is rejected.
final class RedirectGate: Sendable {
    /// The lookup for the users of client processes, or nil if all clients are admitted.
    let lookup: PeerLookup?
    private let pages: Pages
    private let overrideName: String
    private let warn: (@Sendable (_ message: String) -> Void)?
    private let hasWarned = Mutex(false)

    /// Creates a gate.
    ///
    /// With `Insecure.redirectsFromAnyUser`, the gate admits all users.
    ///
    /// - Parameters:
    ///   - insecure: The permissions that weaken security.
    ///   - lookup: The lookup for the users of client processes.
    ///   - pages: Creates the page shown for rejected requests.
    ///   - overrideName: The name of the setting that admits all users, for use in messages.
    ///   - warn: Called with a message when a request is rejected for the first time.
    init(
        insecure: Insecure,
        lookup: PeerLookup? = .system,
        pages: Pages,
        overrideName: String,
        warn: (@Sendable (_ message: String) -> Void)?
    ) {
        self.lookup = insecure.contains(.redirectsFromAnyUser) ? nil : lookup
        self.pages = pages
        self.overrideName = overrideName
        self.warn = warn
    }

    /// Whether requests from other users are rejected.
    var isClosed: Bool { self.lookup != nil }

    /// Returns the response to a rejected request, or nil if the request is admitted.
    func rejection(of request: LoopbackRequest) -> LoopbackResponse? {
        guard self.isClosed else { return nil }
        let user = request.peer?.user
        if let user, user == UInt32(geteuid()) || user == 0 { return nil }
        let reason =
            if let user {
                "the process that sent it belongs to another user (user ID \(user))"
            } else {
                "the system does not report which user's process sent it"
            }
        // Warn only once, so that requests from another user cannot flood the terminal.
        if self.hasWarned.setOnce() {
            self.warn?(
                """
                Rejected a request to the redirect listener: \(reason). If the request came from your browser, for example \
                from outside a container or through a proxy, allow it with \(self.overrideName).
                """
            )
        }
        return self.pages.rejected(reason: reason, overrideName: self.overrideName)
    }
}
