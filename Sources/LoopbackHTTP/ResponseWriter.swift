// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The bytes of an answer that are still to be sent, and when.
struct ResponseWriter {
    private var chunks: ArraySlice<[UInt8]>
    private var offset = 0
    private let pause: Int64
    let ending: LoopbackResponse.Ending
    /// When the next chunk may be sent; nil: now.
    private(set) var resumesAt: Int64?

    init(_ response: LoopbackResponse, method: String) {
        switch response.storage {
        case .raw(let chunks, let pause, let ending):
            self.chunks = chunks[...]
            self.pause = pause.nanoseconds
            self.ending = ending
        case .message(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
            for header in headers where !Self.hasControl(header.name) && !Self.hasControl(header.value) {
                head += "\(header.name): \(header.value)\r\n"
            }
            let hasBody = status >= 200 && status != 204 && status != 304
            if hasBody { head += "Content-Length: \(body.count)\r\n" }
            head += "Connection: close\r\n\r\n"
            self.chunks = [Array(head.utf8) + (hasBody && method != "HEAD" ? body : [])]
            self.pause = 0
            self.ending = .close
        }
    }

    /// Whether everything is sent.
    var isDone: Bool { self.chunks.isEmpty }

    /// Sends what can be sent now with `send`, which returns the number of bytes taken, nil when it would block.
    mutating func write(now: Int64, send: (UnsafeRawBufferPointer) -> Int?) {
        if let resumesAt {
            guard resumesAt <= now else { return }
            self.resumesAt = nil
        }
        while let chunk = self.chunks.first {
            while self.offset < chunk.count {
                let offset = self.offset
                let sent = chunk.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
                guard let sent else { return }
                self.offset += sent
            }
            self.chunks.removeFirst()
            self.offset = 0
            if self.pause > 0, !self.chunks.isEmpty {
                self.resumesAt = now &+ self.pause
                return
            }
        }
    }

    private static func hasControl(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
