// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A received HTTP request.
///
/// Its syntax has been checked, but not its meaning.
package struct LoopbackRequest: Sendable, Hashable {
    /// The HTTP method, which consists of token characters.
    package var method: String
    /// The request target exactly as received.
    ///
    /// The target contains only printable ASCII characters other than spaces.
    package var target: String
    /// The header fields in the order received.
    package var headers: [Header]
    /// The body, with any transfer coding decoded.
    package var body: [UInt8]
    /// The sender of the request, if known.
    ///
    /// The sender is known on a Unix socket, and on a server with a ``PeerLookup`` that found it.
    package var peer: LoopbackPeer?
    /// The host and port of the server that received the request, such as `127.0.0.1:49152`.
    ///
    /// This is empty for a Unix socket.
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

    /// The part of the target before the question mark.
    package var path: String { self.target.prefix { $0 != "?" }.description }

    /// The part of the target after the first question mark, or `nil` if there is no question mark.
    package var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }

    /// Returns the values of all header fields with a name, ignoring ASCII case.
    package func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return self.headers.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Returns the value of a field, or `nil` if the field is missing or repeated.
    package func value(of name: String) -> String? {
        let values = self.values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}

/// A response, which is the only one on its connection.
///
/// The connection is closed after the response.
package struct LoopbackResponse: Sendable, Hashable {
    enum Storage: Sendable, Hashable {
        case message(status: Int, headers: [LoopbackRequest.Header], body: [UInt8])
        case raw(chunks: [[UInt8]], pause: Duration, ending: Ending)
    }

    /// The action that follows the last byte of a raw response.
    package enum Ending: Sendable, Hashable {
        case close
        /// The connection stays open, with nothing more being sent, until the client or `stop()` closes it.
        case hang
    }

    let storage: Storage

    /// Creates a well-formed response.
    ///
    /// `Content-Length` and `Connection: close` are added. Headers that contain control characters are left out.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.storage = .message(
            status: status,
            headers: headers.map { LoopbackRequest.Header(name: $0.name, value: $0.value) },
            body: body
        )
    }

    /// Returns a response that sends bytes unchanged, to simulate a hostile server.
    ///
    /// - Parameters:
    ///   - chunks: The bytes to send.
    ///   - pause: The time between two chunks.
    ///   - ending: The action that follows the last byte.
    /// - Returns: The response.
    package static func raw(
        chunks: [[UInt8]],
        pause: Duration = .zero,
        then ending: Ending = .close
    ) -> LoopbackResponse {
        LoopbackResponse(storage: .raw(chunks: chunks, pause: pause, ending: ending))
    }

    private init(storage: Storage) { self.storage = storage }

    /// Returns a short plain-text response.
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
