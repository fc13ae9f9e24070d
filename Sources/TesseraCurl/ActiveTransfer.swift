// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// A transfer that libcurl is performing.
///
/// A transfer is used only on the loop's thread. libcurl's callbacks collect the received data, and ``handOver(now:)``
/// passes it to the ``CurlTransfer`` once per iteration of the loop.
final class ActiveTransfer {
    /// The maximum size of the response head, including informational responses and the trailer.
    private static let headLimit = (bytes: 128 << 10, lines: 512)
    /// The number of unread body bytes at which libcurl is paused.
    private static let bodyLimit = 512 << 10
    /// The maximum number of times a request with a safe method is sent.
    private static let mostAttempts = 8

    enum Direction { case receiving, sending }

    let handle: CurlHandle
    let transfer: CurlTransfer
    private let engine: CurlEngine

    var isTouched = false
    /// The result of the transfer, or nil while it is in progress.
    var result: Result<Void, any Error>?
    /// The number of body bytes that have not been read.
    var buffered = 0
    private var head: [UInt8] = []
    private var headBytes = 0
    private var headLines = 0
    private var isHeadComplete = false
    private var isHeadHandedOver = false
    private var body: [UInt8] = []
    private var isReceivingPaused = false
    private var isSendingPaused = false
    /// The error that a callback ended the transfer with.
    private var failure: (any Error)?
    /// The number of times libcurl has started to send the request.
    private var attempts = 0
    /// The time of the last activity, in milliseconds, or nil before the connection is established.
    private var lastActivity: Int64?
    private var lastUploaded: curl_off_t = 0

    init(_ handle: CurlHandle, _ transfer: CurlTransfer, engine: CurlEngine) {
        (self.handle, self.transfer, self.engine) = (handle, transfer, engine)
    }

    var message: CurlMessage { self.transfer.message }
    private var easy: UnsafeMutableRawPointer { self.handle.easy }

    var isSuccess: Bool { if case .success = self.result { true } else { false } }

    // MARK: libcurl's callbacks

    static let beginRequest: TesseraCurlRequestFunction = { context, _, _, _, _ in
        guard let active = CurlHandle.of(context)?.active else { return 1 }
        active.lastActivity = active.engine.now
        active.attempts += 1
        // libcurl repeats a request if a reused connection is closed before the first byte of the response, although
        // the server may already have processed the request.
        if active.attempts > 1, !active.message.mayBeSentAgain {
            active.failure = TransportError(.connectionLost, host: active.message.host)
            return 1
        }
        return 0
    }

    static let receiveHead: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = CurlHandle.of(context)?.active, let bytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        active.lastActivity = active.engine.now
        return active.takeHead(line) ? line.count : 0
    }

    static let receiveBody: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = CurlHandle.of(context)?.active, let bytes else { return 0 }
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        active.lastActivity = active.engine.now
        if active.buffered + active.body.count >= ActiveTransfer.bodyLimit {
            active.isReceivingPaused = true
            active.engine.touch(active)
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        active.body.append(contentsOf: part)
        active.engine.touch(active)
        return part.count
    }

    static let sendBody: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = CurlHandle.of(context)?.active, let bytes, case .stream(let upload) = active.message.body
        else { return Int(CURL_READFUNC_ABORT) }
        active.lastActivity = active.engine.now
        switch upload.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
        case .bytes(let count):
            return count
        case .notYet:
            active.isSendingPaused = true
            return Int(CURL_READFUNC_PAUSE)
        case .failure(let error):
            active.failure = error ?? TransportError(.connectionLost, host: active.message.host)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    // RFC 9112, section 2.2: libcurl accepts a bare LF, which could end the head at a position that other recipients do
    // not recognize.
    private func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        self.headBytes += line.count
        self.headLines += 1
        guard line.count >= 2, line[line.count - 2] == 0x0D, line[line.count - 1] == 0x0A,
            self.headBytes <= Self.headLimit.bytes, self.headLines <= Self.headLimit.lines
        else {
            self.failure = TransportError(.invalidResponse, host: self.message.host)
            return false
        }
        // Trailers are ignored.
        if self.isHeadComplete { return true }
        if self.head.isEmpty { self.head.reserveCapacity(512) }
        self.head.append(contentsOf: line)
        guard line.count == 2 else { return true }
        // The head of an informational response is followed by another head.
        if let code = CurlResponseHead.statusCode(of: self.head), 100...199 ~= code {
            self.head.removeAll(keepingCapacity: true)
            if code != 101 { return true }
            self.failure = TransportError(.invalidResponse, host: self.message.host)
            return false
        }
        self.isHeadComplete = true
        self.engine.touch(self)
        return true
    }

    // MARK: In the loop

    /// Resumes the transfer after a pause.
    func resume(_ direction: Direction, at now: Int64) {
        switch direction {
        case .receiving: self.isReceivingPaused = false
        case .sending: self.isSendingPaused = false
        }
        self.lastActivity = self.lastActivity.map { _ in now }
        let receiving = self.isReceivingPaused ? CURLPAUSE_RECV : CURLPAUSE_RECV_CONT
        let sending = self.isSendingPaused ? CURLPAUSE_SEND : CURLPAUSE_SEND_CONT
        curl_easy_pause(self.easy, receiving | sending)
    }

    /// Returns the time at which the transfer times out because of inactivity.
    func idleDeadline(after idle: Int64, now: Int64) -> Int64 {
        var uploaded: curl_off_t = 0
        _ = tessera_curl_get_offset(self.easy, CURLINFO_SIZE_UPLOAD_T, &uploaded)
        // libcurl enforces the connection timeout. There is no deadline while the reader or the source of the request's
        // body is slow.
        if uploaded != self.lastUploaded || self.isReceivingPaused || self.isSendingPaused { self.lastActivity = now }
        self.lastUploaded = uploaded
        return (self.lastActivity ?? now) + idle
    }

    /// Passes the data received in this iteration to the transfer, and returns what its waiting task continues with.
    func handOver(now: Int64) -> CurlTransfer.Continuation? {
        var head: [UInt8]?
        if self.isHeadComplete, !self.isHeadHandedOver {
            head = self.engine.shared(self.head)
            self.isHeadHandedOver = true
        }
        let body = self.body
        self.body = []
        let (continuation, isTaken) = self.transfer.receive(
            head: head,
            body: body,
            isPaused: self.isReceivingPaused && self.result == nil,
            result: self.result
        )
        self.buffered = isTaken ? 0 : self.buffered + body.count
        if isTaken, self.isReceivingPaused, self.result == nil { self.resume(.receiving, at: now) }
        return continuation
    }

    /// Returns whether the request should be sent again.
    ///
    /// This is the case if the connection was closed before the first byte of the response arrived and the request's
    /// method is safe. Over HTTP/1.1, libcurl repeats such requests itself. Over HTTP/2, a server that closes a
    /// connection (`GOAWAY`) would otherwise cause all requests on it to fail.
    func canStartAgain(after code: CURLcode) -> Bool {
        let isEnd: Bool =
            switch code {
            case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
                CURLE_PARTIAL_FILE:
                true
            default: false
            }
        guard isEnd, self.engine.settings.offersHTTP2, self.message.mayBeSentAgain, !self.message.body.isStream,
            self.failure == nil, self.headBytes == 0, self.attempts < Self.mostAttempts
        else { return false }
        // A connection that was opened for this request would probably fail again.
        var opened = 0
        _ = tessera_curl_get_number(self.easy, CURLINFO_NUM_CONNECTS, &opened)
        guard opened == 0 else { return false }
        (self.lastActivity, self.lastUploaded) = (nil, 0)
        return true
    }

    /// Returns the transfer's result for a libcurl result code.
    func outcome(of code: CURLcode) -> Result<Void, any Error> {
        if let failure = self.failure { return .failure(failure) }
        if code == CURLE_OK {
            if self.isHeadComplete { return .success(()) }
            // The connection was closed before the end of the head.
            return .failure(TransportError(.connectionLost, host: self.message.host))
        }
        var proxyStatus = 0
        _ = tessera_curl_get_number(self.easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
        let error = TransportError.of(code, proxyStatus: proxyStatus, host: self.message.host)
        // If a reused connection is closed, libcurl connects again. An error from that attempt does not mean that the
        // server has not received the request.
        guard self.attempts > 0, error.nothingWasSent else { return .failure(error) }
        return .failure(TransportError(.connectionLost, host: self.message.host, underlying: error.underlying))
    }
}
#endif
