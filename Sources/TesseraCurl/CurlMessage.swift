// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

/// A request in the format that libcurl requires.
struct CurlMessage: Sendable {
    enum Body: Sendable {
        case none
        case bytes(PinnedBytes)
        case stream(CurlUpload)

        var isStream: Bool { if case .stream = self { true } else { false } }
        var isNone: Bool { if case .none = self { true } else { false } }
    }

    /// The header fields as `Name: value`, as `Name;` if the value is empty, or as `Name:` to prevent libcurl from
    /// adding a field.
    struct Fields: Sendable {
        /// The fields, each with a NUL byte at its end.
        let text: PinnedBytes
        let count: Int
    }

    let host: String
    let url: String
    let method: String
    let fields: Fields
    let body: Body
    let proxy: ProxyEnvironment.Server?
    /// Whether the request is a token request.
    ///
    /// A rotating refresh token is lost if the request arrives twice. Token requests therefore use their own
    /// connections, on which libcurl never repeats a request.
    let mustNotBeSentTwice: Bool
    /// Whether the method is safe (RFC 9110, section 9.2.1).
    ///
    /// This excludes DELETE, which is idempotent but returns a different response the second time.
    let mayBeSentAgain: Bool

    /// Whether the request is a GET request without a body and with a short head, so that its handle can be reused.
    var isPlain: Bool {
        self.method == "GET" && self.body.isNone && self.hasShortHead && !self.mustNotBeSentTwice
    }

    /// Whether the URL and the fields fit into libcurl's buffer for requests without a body.
    ///
    /// Over TLS, libcurl 7.88 sends at most twice the size of its buffer, and then waits for a response.
    var hasShortHead: Bool { self.url.utf8.count + self.fields.text.count <= 12 << 10 }

    /// Creates a message from a request.
    ///
    /// - Throws: `TransportError` with `invalidURL` if the method or a field would change the structure of the message.
    init(
        _ request: HTTPRequest,
        body: HTTPBody?,
        target: RequestTarget,
        proxy: ProxyEnvironment.Server?
    ) throws(TransportError) {
        let method = request.method.rawValue
        guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenCharacter) else {
            throw TransportError(.invalidURL, host: target.origin.host)
        }
        var fields: [UInt8] = []
        fields.reserveCapacity(512)
        var count = 0
        func add(_ name: String, _ separator: StaticString, _ value: String = "") {
            fields += name.utf8
            fields += UnsafeBufferPointer(start: separator.utf8Start, count: separator.utf8CodeUnitCount)
            fields += value.utf8
            fields.append(0)
            count += 1
        }
        var (hasAccept, hasType, isForm) = (false, false, false)
        for field in request.headerFields {
            let name = field.name.rawName
            if field.name == .accept { hasAccept = true }
            // The body's framing is determined below.
            if field.name == .contentLength || field.name == .transferEncoding { continue }
            if field.name == .contentType {
                hasType = true
                isForm = field.value.utf8.starts(with: "application/x-www-form-urlencoded".utf8)
            }
            // With `Name:`, libcurl removes a field. With `Name;`, it sends an empty one.
            if field.value.isEmpty { add(name, ";") } else { add(name, ": ", field.value) }
        }
        // An array is searched much faster than the values, which are strings. Each field ends with a NUL byte.
        let (ends, breaks) = fields.reduce(into: (0, 0)) { counts, byte in
            if byte == 0 { counts.0 += 1 }
            if byte == 0x0A || byte == 0x0D { counts.1 += 1 }
        }
        guard ends == count, breaks == 0 else { throw TransportError(.invalidURL, host: target.origin.host) }
        if !hasAccept { add("Accept", ":") }
        self.host = target.origin.host
        self.url = target.url
        self.method = method
        self.proxy = proxy
        self.mustNotBeSentTwice = isForm && method == "POST"
        self.mayBeSentAgain = ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        if let bytes = body?.bytes ?? (body == nil && Self.hasBody(method) ? [] : nil) {
            self.body = .bytes(PinnedBytes(bytes))
        } else if let body {
            self.body = .stream(CurlUpload(body))
        } else {
            self.body = .none
        }
        if !self.body.isNone {
            // Without these fields, libcurl waits one second for "100 Continue" and declares every body to be a form.
            add("Expect", ":")
            if !hasType { add("Content-Type", ":") }
            if case .stream(let upload) = self.body, upload.length == nil { add("Transfer-Encoding", ": ", "chunked") }
        }
        self.fields = Fields(text: PinnedBytes(fields), count: count)
    }

    // RFC 9110, section 8.6: A request with a method that usually has a body must declare an empty one.
    private static func hasBody(_ method: String) -> Bool { ["POST", "PUT", "PATCH"].contains(method) }
}

/// Bytes at a fixed address, which libcurl requires for a request's fields and body.
final class PinnedBytes: Sendable {
    // The memory is immutable after initialization.
    private let memory: Mutex<UnsafeMutableRawBufferPointer>
    let count: Int

    init(_ bytes: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        memory.copyBytes(from: bytes)
        self.count = bytes.count
        self.memory = Mutex(memory)
    }

    deinit { self.memory.withLock { $0.deallocate() } }

    var baseAddress: UnsafeMutableRawPointer? { self.memory.withLock { $0.baseAddress } }
}

/// A streamed request body that a task reads and the loop's thread passes to libcurl.
final class CurlUpload: Sendable {
    /// The maximum number of bytes that can wait for libcurl.
    private static let limit = 2 << 20

    enum Part {
        case bytes(Int)
        case notYet
        /// The error that the body threw, or nil if its length differs from the announced length.
        case failure((any Error)?)
    }

    let body: HTTPBody
    let length: Int64?
    private let state = Mutex(State())

    private struct State {
        var chunks: [[UInt8]] = []
        /// The number of bytes in the first chunk that have been sent.
        var offset = 0
        var count = 0
        /// The number of bytes that have been read from the body.
        var total: Int64 = 0
        /// The number of bytes that libcurl has taken.
        var sent: Int64 = 0
        var end: Result<Void, any Error>?
        var isWanted = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    init(_ body: HTTPBody) { (self.body, self.length) = (body, body.length) }

    /// Reads the body to its end, calling `wake` whenever data that libcurl is waiting for becomes available.
    func pump(_ wake: @Sendable () -> Void) async {
        do {
            for try await chunk in self.body {
                try Task.checkCancellation()
                self.add(chunk, wake)
                await self.room()
            }
            // A canceled sequence may end without an error. Its body would look complete.
            try Task.checkCancellation()
            self.end(.success(()), wake)
        } catch {
            self.end(.failure(error), wake)
        }
    }

    /// Copies the next bytes of the body.
    func read(into memory: UnsafeMutableRawBufferPointer) -> Part {
        let (part, waiter) = self.state.withLock { state -> (Part, CheckedContinuation<Void, Never>?) in
            var copied = 0
            let most = min(memory.count, self.available(state))
            while copied < most, let chunk = state.chunks.first {
                let count = min(most - copied, chunk.count - state.offset)
                chunk.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: memory[copied..<(copied + count)])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<(state.offset + count)])
                        )
                }
                copied += count
                state.offset += count
                if state.offset == chunk.count {
                    state.chunks.removeFirst()
                    state.offset = 0
                }
            }
            state.count -= copied
            state.sent += Int64(copied)
            let waiter = state.count < Self.limit / 2 ? state.waiter : nil
            if waiter != nil { state.waiter = nil }
            if copied > 0 { return (.bytes(copied), waiter) }
            if let length, state.total > length { return (.failure(nil), waiter) }
            switch state.end {
            case nil:
                state.isWanted = true
                return (.notYet, waiter)
            case .failure(let error):
                return (.failure(error), waiter)
            case .success:
                return (self.length ?? state.sent == state.sent ? .bytes(0) : .failure(nil), waiter)
            }
        }
        waiter?.resume()
        return part
    }

    /// Returns the number of bytes that can be passed to libcurl.
    ///
    /// If the length was announced, the last byte is held back until the body has ended, so that a body that is too
    /// long does not appear complete.
    private func available(_ state: State) -> Int {
        guard let length, state.total >= length else { return state.count }
        if case .success = state.end, state.total == length { return state.count }
        return max(0, Int(length - 1 - state.sent))
    }

    private func add(_ chunk: [UInt8], _ wake: () -> Void) {
        let isWanted = self.state.withLock { state in
            state.chunks.append(chunk)
            state.count += chunk.count
            state.total += Int64(chunk.count)
            defer { state.isWanted = false }
            return state.isWanted
        }
        if isWanted { wake() }
    }

    private func end(_ result: Result<Void, any Error>, _ wake: () -> Void) {
        let isWanted = self.state.withLock { state in
            state.end = result
            defer { state.isWanted = false }
            return state.isWanted
        }
        if isWanted { wake() }
    }

    private func room() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = self.state.withLock { state in
                    if state.count < Self.limit || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
#endif
