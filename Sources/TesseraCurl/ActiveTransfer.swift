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

    let easy: UnsafeMutableRawPointer
    let transfer: CurlTransfer
    let message: CurlMessage
    private unowned let engine: CurlEngine
    private var fields: UnsafeMutablePointer<curl_slist>?

    var isTouched = false
    /// The path of the root certificates that the handle has, or an empty string for libcurl's own.
    var roots = ""
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

    init(_ easy: UnsafeMutableRawPointer, _ transfer: CurlTransfer, _ message: CurlMessage, engine: CurlEngine) {
        (self.easy, self.transfer, self.message, self.engine) = (easy, transfer, message, engine)
    }

    deinit { curl_slist_free_all(self.fields) }

    var isSuccess: Bool { if case .success = self.result { true } else { false } }

    // MARK: Options

    /// Sets the handle's options and returns false if libcurl rejects a required option.
    ///
    /// - Parameters:
    ///   - settings: The transport's settings.
    ///   - roots: The path of the root certificates, or an empty string for libcurl's own.
    ///   - known: The path that a prepared handle already has.
    /// - Returns: Whether libcurl has accepted all required options.
    func prepare(_ settings: CurlSettings, roots: String, known: String?) -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        var isAccepted = true
        func require(_ code: CURLcode) { if code != CURLE_OK { isAccepted = false } }
        func number(_ option: CURLoption, _ value: Int) { require(tessera_curl_set_number(self.easy, option, value)) }
        func text(_ option: CURLoption, _ value: String) { require(tessera_curl_set_text(self.easy, option, value)) }

        if !self.message.isPlain || !self.isPrepared {
            curl_easy_reset(self.easy)
            settings.prepare(self.easy, roots: roots, require)
            let engine = Unmanaged.passUnretained(self.engine).toOpaque()
            require(
                tessera_curl_set_socket_functions(self.easy, CurlEngine.openSocket, CurlEngine.closeSocket, engine)
            )
            require(tessera_curl_set_transfer_function(self.easy, CURLOPT_HEADERFUNCTION, Self.receiveHead))
            require(tessera_curl_set_transfer_function(self.easy, CURLOPT_WRITEFUNCTION, Self.receiveBody))
        } else if known != roots {
            text(CURLOPT_CAINFO, roots)
        }
        require(tessera_curl_set_pointer(self.easy, CURLOPT_PRIVATE, context))
        require(tessera_curl_set_pointer(self.easy, CURLOPT_HEADERDATA, context))
        require(tessera_curl_set_pointer(self.easy, CURLOPT_WRITEDATA, context))
        require(tessera_curl_set_request_function(self.easy, Self.beginRequest, context))
        text(CURLOPT_URL, self.message.url)
        settings.use(self.message.proxy, on: self.easy, require)
        for field in self.message.fields {
            guard let list = curl_slist_append(self.fields, field) else { return false }
            self.fields = list
        }
        require(tessera_curl_set_list(self.easy, CURLOPT_HTTPHEADER, self.fields))
        if self.message.isPlain { return isAccepted }

        if self.message.mustNotBeSentTwice {
            number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            number(CURLOPT_FRESH_CONNECT, 1)
            number(CURLOPT_FORBID_REUSE, 1)
        }
        switch self.message.body {
        case .none:
            if self.message.method == "HEAD" { number(CURLOPT_NOBODY, 1) }
        case .bytes(let bytes):
            number(CURLOPT_POST, 1)
            require(tessera_curl_set_offset(self.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
            require(tessera_curl_set_pointer(self.easy, CURLOPT_POSTFIELDS, bytes.baseAddress))
        case .stream(let upload):
            number(CURLOPT_UPLOAD, 1)
            require(tessera_curl_set_transfer_function(self.easy, CURLOPT_READFUNCTION, Self.sendBody))
            require(tessera_curl_set_pointer(self.easy, CURLOPT_READDATA, context))
            require(tessera_curl_set_offset(self.easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.length ?? -1)))
        }
        if self.message.method != "GET" || !self.message.body.isNone {
            text(CURLOPT_CUSTOMREQUEST, self.message.method)
        }
        return isAccepted
    }

    /// Whether the handle has already been used for a plain request.
    private var isPrepared: Bool { tessera_curl_get_private(self.easy) != nil }

    /// Removes references to this transfer's memory from the handle before it is reused.
    func releaseHandle() {
        _ = tessera_curl_set_list(self.easy, CURLOPT_HTTPHEADER, nil)
    }

    // MARK: libcurl's callbacks

    private static func of(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
        context.map { Unmanaged<ActiveTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let beginRequest: TesseraCurlRequestFunction = { context, _, _, _, _ in
        guard let active = ActiveTransfer.of(context) else { return 1 }
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

    private static let receiveHead: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = ActiveTransfer.of(context), let bytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        active.lastActivity = active.engine.now
        return active.takeHead(line) ? line.count : 0
    }

    private static let receiveBody: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = ActiveTransfer.of(context), let bytes else { return 0 }
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

    private static let sendBody: TesseraCurlTransferFunction = { bytes, size, count, context in
        guard let active = ActiveTransfer.of(context), let bytes, case .stream(let upload) = active.message.body else {
            return Int(CURL_READFUNC_ABORT)
        }
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

    /// Passes the data received in this iteration to the waiting task.
    func handOver(now: Int64) {
        var head: [UInt8]?
        if self.isHeadComplete, !self.isHeadHandedOver {
            head = self.head
            self.isHeadHandedOver = true
        }
        let body = self.body
        self.body = []
        let isTaken = self.transfer.receive(
            head: head,
            body: body,
            isPaused: self.isReceivingPaused && self.result == nil,
            result: self.result
        )
        self.buffered = isTaken ? 0 : self.buffered + body.count
        if isTaken, self.isReceivingPaused, self.result == nil { self.resume(.receiving, at: now) }
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
