// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A queue of the events in a sign-in, in order of arrival.
///
/// Requests from the browser are held until the page to show in response is known.
final class RedirectQueue: Sendable {
    enum Event: Sendable {
        case redirect(Redirect)
        case programEnded(status: Int32)
    }

    private struct State {
        var held: [Int: (response: DeliveredResponse, request: CheckedContinuation<LoopbackResponse, Never>)] = [:]
        var nextID = 0
        var isClosed = false
        /// The response that completed the sign-in and the page shown for it.
        var last: (response: DeliveredResponse, page: LoopbackResponse)?
    }

    private let events = AsyncStream.makeStream(of: Event.self)
    private let state = Mutex(State())
    private let pages: Pages

    init(pages: Pages) { self.pages = pages }

    func post(_ event: Event) { self.events.continuation.yield(event) }

    /// Waits for the next event, or returns nil if the queue is closed or the task is canceled.
    func next() async -> Event? { await self.events.stream.first { _ in true } }

    /// Queues a response from the browser and returns its page once the reply is known.
    func receive(_ response: DeliveredResponse) async -> LoopbackResponse {
        await withCheckedContinuation { request in
            let id: Int? = self.state.withLock { state in
                if state.isClosed { return nil }
                state.nextID += 1
                state.held[state.nextID] = (response, request)
                return state.nextID
            }
            guard let id else { return request.resume(returning: self.pages.unrelated()) }
            self.post(.redirect(Redirect(response) { reply in self.reply(reply, to: id) }))
        }
    }

    private func reply(_ reply: RedirectReply, to id: Int) {
        let page = self.pages.page(for: reply)
        let held = self.state.withLock { state in
            let held = state.held.removeValue(forKey: id)
            if let held, !reply.isUnrelated { state.last = (held.response, page) }
            return held
        }
        held?.request.resume(returning: page)
    }

    /// Ends the wait and replies to all held requests.
    ///
    /// If the browser repeats the response that completed the sign-in, the repeated request gets the same page.
    func close() {
        let (held, last) = self.state.withLock { state in
            state.isClosed = true
            defer { state.held = [:] }
            return (state.held.values, state.last)
        }
        for (response, request) in held {
            let page = last.flatMap { $0.response == response ? $0.page : nil }
            request.resume(returning: page ?? self.pages.unrelated())
        }
        self.events.continuation.finish()
    }
}

extension RedirectReply {
    fileprivate var isUnrelated: Bool { if case .unrelated = self { true } else { false } }
}
