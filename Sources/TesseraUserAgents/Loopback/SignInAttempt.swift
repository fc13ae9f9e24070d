// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// One wait for a redirect: everything that arrives is judged, one after the other.
struct SignInAttempt {
    let inbox: RedirectInbox
    let pages: Pages
    let redirectURI: String

    /// The value of the first redirect that is accepted.
    func verdict<Value: Sendable>(
        _ judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>,
        pasted: PastedRedirects?,
        presentation: inout BrowserPresentation
    ) async throws -> Value {
        for await event in self.inbox.events {
            switch event {
            case .timedOut:
                throw SignInError(.timedOut)
            case .programEnded(let status):
                try await presentation.programEnded(status: status, self.inbox)
            case .delivered(let id, let delivered):
                do {
                    switch try await judge(delivered) {
                    case .notOurs:
                        self.inbox.answer(id, with: self.pages.notOurs())
                    case .accepted(let value, let page):
                        let response = self.pages.completion(page)
                        self.inbox.answer(id, with: response)
                        self.inbox.close(answering: delivered, with: response)
                        return value
                    }
                } catch {
                    let response = self.pages.failure(error)
                    self.inbox.answer(id, with: response)
                    self.inbox.close(answering: delivered, with: response)
                    throw error
                }
            case .handed(let redirect):
                // One that is not ours changes nothing: any page can open the program with a URL.
                if case .accepted(let value, _) = try await judge(.redirect(redirect)) { return value }
            case .pasted(let line):
                guard let redirect = self.redirect(pasted: line) else {
                    pasted?
                        .refuse(
                            "Paste the whole address from the browser's address bar, beginning with \(self.redirectURI)"
                        )
                    continue
                }
                if redirect.isEmpty { continue }
                switch try await judge(.redirect(redirect)) {
                case .notOurs(let reason): pasted?.refuse("This is not the answer to this sign-in: \(reason)")
                case .accepted(let value, _): return value
                }
            }
        }
        try Task.checkCancellation()
        throw SignInError(.givenUp)
    }

    /// The redirect of a pasted line, empty for an empty line; nil when it is no address: a code alone says nothing
    /// about the attempt that it belongs to.
    private func redirect(pasted line: String) -> String? {
        let text = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        if text.isEmpty || text.contains("://") || text.hasPrefix(self.redirectURI) { return text }
        // Browsers do not show the scheme, and some do not copy it.
        let withScheme = "http://\(text)"
        return withScheme.hasPrefix(self.redirectURI) ? withScheme : nil
    }
}
