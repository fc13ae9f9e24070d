// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A request as it arrived: checked for its form, not for its meaning.
package struct LoopbackRequest: Sendable, Hashable {
    /// The method, a token.
    package var method: String
    /// The request target exactly as sent: printable ASCII without spaces.
    package var target: String
    /// The fields in the order sent.
    package var headers: [Header]
    /// The body, its transfer coding taken off.
    package var body: [UInt8]
    /// Who sent it: over a Unix socket, or to a server that looks for its peers and found this one.
    package var peer: LoopbackPeer?
    /// The host and port of the server that received it, `127.0.0.1:49152`; empty over a Unix socket.
    package var authority = ""

    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(method: String, target: String, headers: [Header] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The target up to its question mark.
    package var path: String { self.target.prefix { $0 != "?" }.description }

    /// The target after its first question mark; nil where there is none.
    package var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }

    /// The values of every field of that name, compared as ASCII without case.
    package func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return self.headers.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The value of the only field of that name; nil where there is none or more than one.
    package func value(of name: String) -> String? {
        let values = self.values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

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
