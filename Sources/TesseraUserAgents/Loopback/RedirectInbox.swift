// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport
internal import TesseraOAuth

/// Receives the browser's requests, and holds each redirect's response until its verdict is known.
final class RedirectInbox: Sendable {
    /// Something that the sign-in waits for.
    enum Event: Sendable {
        case delivered(id: Int, DeliveredResponse)
        case pasted(String)
        /// A redirect that the system gave to the program.
        case handed(String)
        case programEnded(status: Int32)
        case timedOut
    }

    private struct State {
        var held: [Int: (delivered: DeliveredResponse, response: CheckedContinuation<LoopbackResponse, Never>)] = [:]
        var nextID = 0
        var isClosed = false
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let state = Mutex(State())
    private let path: String
    /// Whether the answer is a form that the provider's page posts; else it is a redirect.
    private let acceptsFormPost: Bool
    private let pages: Pages

    init(path: String, acceptsFormPost: Bool, pages: Pages) {
        (self.events, self.continuation) = AsyncStream.makeStream(of: Event.self)
        self.path = path
        self.acceptsFormPost = acceptsFormPost
        self.pages = pages
    }

    func post(_ event: Event) { self.continuation.yield(event) }

    /// Answers a request to `authority`; a redirect waits until ``answer(_:with:)`` or ``close(answering:with:)``.
    func respond(to request: LoopbackRequest, authority: String) async -> LoopbackResponse {
        // Another name for this address in the Host field: a page of that name was rebound to it.
        guard request.value(of: "Host")?.lowercased() == authority else { return .text(status: 400, "Not for us.\n") }
        guard request.path == self.path else { return .text(status: 404, "Not found.\n") }
        let method = self.acceptsFormPost ? "POST" : "GET"
        guard request.method == method else {
            return LoopbackResponse(status: 405, headers: [("Allow", method), ("Cache-Control", "no-store")])
        }
        guard let delivered = self.delivered(request, to: "http://\(authority)\(request.target)") else {
            return .text(status: 415, "Not a form.\n")
        }
        return await withCheckedContinuation { response in
            let id: Int? = self.state.withLock { state in
                if state.isClosed { return nil }
                state.nextID += 1
                state.held[state.nextID] = (delivered, response)
                return state.nextID
            }
            if let id {
                self.continuation.yield(.delivered(id: id, delivered))
            } else {
                response.resume(returning: self.pages.notOurs())
            }
        }
    }

    /// What the request brings; nil for a body that is no form.
    ///
    /// It comes from the provider's page: another origin is normal here, and `state` is what tells whether it is ours.
    private func delivered(_ request: LoopbackRequest, to uri: String) -> DeliveredResponse? {
        guard self.acceptsFormPost else { return .redirect(uri) }
        let type = (request.value(of: "Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }
        guard type.lowercased() == "application/x-www-form-urlencoded",
            let body = String(wellFormedUTF8: request.body)
        else { return nil }
        return .formPost(to: uri, body: body)
    }

    /// Sends the response of one redirect.
    func answer(_ id: Int, with response: LoopbackResponse) {
        self.state.withLock { $0.held.removeValue(forKey: id) }?.response.resume(returning: response)
    }

    /// Ends the wait.
    ///
    /// The very same answer, sent again meanwhile, gets the same page; anything else is not ours.
    func close(answering delivered: DeliveredResponse? = nil, with page: LoopbackResponse? = nil) {
        let held = self.state.withLock { state in
            state.isClosed = true
            defer { state.held = [:] }
            return state.held.values
        }
        for (other, response) in held {
            response.resume(returning: other == delivered ? page ?? self.pages.notOurs() : self.pages.notOurs())
        }
        self.continuation.finish()
    }
}
