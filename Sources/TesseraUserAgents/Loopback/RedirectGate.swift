// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraOAuth
internal import TesseraSupport

/// Lets only processes of this user and of root talk to a listener for redirects.
///
/// It exists on Linux, whose kernel lists the user of every connection. A browser keeps its connection open while it waits
/// for the response. A client that has closed its end, even only for sending, can no longer be identified and is rejected.
final class RedirectGate: Sendable {
    /// Finds the clients' users; nil where every client is let in.
    let lookup: PeerLookup?
    private let pages: Pages
    private let overrideName: String
    private let warn: (@Sendable (_ message: String) -> Void)?
    private let hasWarned = Mutex(false)

    /// Creates a gate, which is open with `Insecure.redirectsFromAnyUser`.
    ///
    /// - Parameters:
    ///   - insecure: The permissions.
    ///   - lookup: Finds the clients' users.
    ///   - pages: Makes the page that says that a request was rejected.
    ///   - overrideName: How the user or the developer opens the gate, for messages.
    ///   - warn: Gets a message when the first request is rejected.
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

    /// Whether other users are kept out.
    var isClosed: Bool { self.lookup != nil }

    /// The response to a request that is not let in; nil for one that is.
    func rejection(of request: LoopbackRequest) -> LoopbackResponse? {
        guard self.isClosed else { return nil }
        let user = request.peer?.user
        if let user, user == UInt32(geteuid()) || user == 0 { return nil }
        let reason =
            if let user {
                "the process that sent it belongs to another user (user ID \(user))"
            } else {
                "the system does not say which user's process sent it"
            }
        let isFirst = self.hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        // Another user can send any number of requests, but not fill the terminal.
        if isFirst {
            self.warn?(
                """
                Rejected a request to the redirect listener: \(reason). If your browser sent it, from outside a \
                container or through a proxy for example, allow it with \(self.overrideName).
                """
            )
        }
        return self.pages.rejected(reason: reason, overrideName: self.overrideName)
    }
}
