// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Synchronization

/// Receives the browser's requests, and holds each redirect's response until its verdict is known.
final class RedirectInbox: Sendable {
    /// Something that the sign-in waits for.
    enum Event: Sendable {
        case redirect(id: Int, String)
        case pasted(String)
        case programEnded(status: Int32)
        case timedOut
    }

    private struct State {
        var held: [Int: (redirect: String, response: CheckedContinuation<LoopbackResponse, Never>)] = [:]
        var nextID = 0
        var isClosed = false
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    private let path: String
    private let pages: Pages

    init(path: String, pages: Pages) {
        (self.events, self.continuation) = AsyncStream.makeStream(of: Event.self)
        self.path = path
        self.pages = pages
    }

    func post(_ event: Event) { self.continuation.yield(event) }

    /// Answers a request to `authority`; a redirect waits until ``answer(_:with:)`` or ``close(answering:with:)``.
    func respond(to request: LoopbackRequest, authority: String) async -> LoopbackResponse {
        // Another name for this address in the Host field: a page of that name was rebound to it.
        guard request.value(of: "Host")?.lowercased() == authority else { return .text(status: 400, "Not for us.\n") }
        guard request.path == self.path else { return .text(status: 404, "Not found.\n") }
        guard request.method == "GET" else {
            return LoopbackResponse(status: 405, headers: [("Allow", "GET"), ("Cache-Control", "no-store")])
        }
        let redirect = "http://\(authority)\(request.target)"
        return await withCheckedContinuation { response in
            let id: Int? = self.state.withLock { state in
                if state.isClosed { return nil }
                state.nextID += 1
                state.held[state.nextID] = (redirect, response)
                return state.nextID
            }
            if let id {
                self.continuation.yield(.redirect(id: id, redirect))
            } else {
                response.resume(returning: self.pages.notOurs())
            }
        }
    }

    /// Sends the response of one redirect.
    func answer(_ id: Int, with response: LoopbackResponse) {
        self.state.withLock { $0.held.removeValue(forKey: id) }?.response.resume(returning: response)
    }

    /// Ends the wait.
    ///
    /// The very same redirect, loaded again meanwhile, gets the same page; anything else is not ours.
    func close(answering redirect: String? = nil, with page: LoopbackResponse? = nil) {
        let held = self.state.withLock { state in
            state.isClosed = true
            defer { state.held = [:] }
            return state.held.values
        }
        for (other, response) in held {
            response.resume(returning: other == redirect ? page ?? self.pages.notOurs() : self.pages.notOurs())
        }
        self.continuation.finish()
    }
}
