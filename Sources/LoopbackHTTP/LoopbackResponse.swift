// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An answer: the only one of its connection, which is closed afterwards.
package struct LoopbackResponse: Sendable, Hashable {
    enum Storage: Sendable, Hashable {
        case message(status: Int, headers: [LoopbackRequest.Header], body: [UInt8])
        case raw(chunks: [[UInt8]], pause: Duration, ending: Ending)
    }

    /// What happens after the last byte of a raw answer.
    package enum Ending: Sendable, Hashable {
        case close
        /// The connection stays open, silent, until the client or `stop()` closes it.
        case hang
    }

    let storage: Storage

    /// A well-formed answer; `Content-Length` and `Connection: close` are added, and a header with a control character
    /// in it is left out.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.storage = .message(
            status: status,
            headers: headers.map { LoopbackRequest.Header(name: $0.name, value: $0.value) },
            body: body
        )
    }

    /// Bytes as they are, for hostile servers: `pause` between two chunks, then the ending.
    package static func raw(
        chunks: [[UInt8]],
        pause: Duration = .zero,
        then ending: Ending = .close
    ) -> LoopbackResponse {
        LoopbackResponse(storage: .raw(chunks: chunks, pause: pause, ending: ending))
    }

    private init(storage: Storage) { self.storage = storage }

    /// A short answer in plain text.
    package static func text(status: Int, _ text: String) -> LoopbackResponse {
        LoopbackResponse(
            status: status,
            headers: [
                ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ],
            body: Array(text.utf8)
        )
    }
}
