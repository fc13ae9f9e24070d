// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// What a sign-in waits for, in the order of its arrival; the browser's requests are held until their reply is known.
final class RedirectQueue: Sendable {
    enum Event: Sendable {
        case redirect(Redirect)
        case programEnded(status: Int32)
    }

    private struct State {
        var held: [Int: (response: DeliveredResponse, request: CheckedContinuation<LoopbackResponse, Never>)] = [:]
        var nextID = 0
        var isClosed = false
        /// The response that ended the sign-in, and its page.
        var last: (response: DeliveredResponse, page: LoopbackResponse)?
    }

    private let events = AsyncStream.makeStream(of: Event.self)
    private let state = Mutex(State())
    private let pages: Pages

    init(pages: Pages) { self.pages = pages }

    func post(_ event: Event) { self.events.continuation.yield(event) }

    /// Waits for an event; nil if the queue is closed or the task is cancelled.
    func next() async -> Event? { await self.events.stream.first { _ in true } }

    /// Queues a browser's response and returns the page for it when the reply is known.
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

    /// Ends the wait and replies to every request that is held.
    ///
    /// The response that ended the sign-in gets the same page if the browser sent it again meanwhile.
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
