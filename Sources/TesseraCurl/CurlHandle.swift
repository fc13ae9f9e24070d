// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import TesseraOAuth
internal import TesseraSupport

/// One of libcurl's easy handles, which retains most of its options from one plain request to the next.
///
/// A handle is used only on the loop's thread.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    /// The transfer that uses the handle.
    var active: ActiveTransfer?
    /// The path of the root certificates in the handle's options, which is empty for libcurl's own, or nil for a new
    /// handle.
    private var roots: String?
    private var proxy: ProxyEnvironment.Server?
    /// The list of header fields for libcurl, which points into the message's memory.
    private var nodes: UnsafeMutableBufferPointer<curl_slist>

    init?() {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.nodes = .allocate(capacity: 16)
    }

    deinit {
        curl_easy_cleanup(self.easy)
        self.nodes.deallocate()
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the options for a request.
    ///
    /// A handle that has already been used must only be used for plain requests.
    ///
    /// - Parameters:
    ///   - message: The request, which must exist until the transfer ends.
    ///   - engine: The engine that performs the transfer.
    ///   - roots: The path of the root certificates, or an empty string for libcurl's own.
    /// - Returns: Whether libcurl has accepted all required options.
    func prepare(for message: CurlMessage, _ engine: CurlEngine, roots: String) -> Bool {
        var isAccepted = true
        func require(_ code: CURLcode) { if code != CURLE_OK { isAccepted = false } }
        func number(_ option: CURLoption, _ value: Int) { require(tessera_curl_set_number(self.easy, option, value)) }
        func text(_ option: CURLoption, _ value: String) { require(tessera_curl_set_text(self.easy, option, value)) }

        let settings = engine.settings
        if self.roots == nil {
            settings.prepare(self.easy, roots: roots, require)
            self.setFunctions(engine, require)
        } else if self.roots != roots {
            text(CURLOPT_CAINFO, roots)
        }
        if self.roots == nil || self.proxy != message.proxy { settings.use(message.proxy, on: self.easy, require) }
        (self.roots, self.proxy) = (roots, message.proxy)
        text(CURLOPT_URL, message.url)
        require(tessera_curl_set_list(self.easy, CURLOPT_HTTPHEADER, self.list(of: message.fields)))
        if message.isPlain { return isAccepted }

        if message.mustNotBeSentTwice {
            number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
            number(CURLOPT_FRESH_CONNECT, 1)
            number(CURLOPT_FORBID_REUSE, 1)
        }
        switch message.body {
        case .none:
            if message.method == "HEAD" { number(CURLOPT_NOBODY, 1) }
        case .bytes(let bytes):
            number(CURLOPT_POST, 1)
            require(tessera_curl_set_offset(self.easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
            require(tessera_curl_set_pointer(self.easy, CURLOPT_POSTFIELDS, bytes.baseAddress))
        case .stream(let upload):
            number(CURLOPT_UPLOAD, 1)
            require(tessera_curl_set_offset(self.easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.length ?? -1)))
        }
        if !message.body.isNone || !message.hasShortHead {
            number(CURLOPT_UPLOAD_BUFFERSIZE, CurlSettings.uploadBufferSize)
        }
        if message.method != "GET" || !message.body.isNone { text(CURLOPT_CUSTOMREQUEST, message.method) }
        return isAccepted
    }

    private func setFunctions(_ engine: CurlEngine, _ require: (CURLcode) -> Void) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        require(tessera_curl_set_pointer(self.easy, CURLOPT_PRIVATE, context))
        for (function, data, callback) in [
            (CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, ActiveTransfer.receiveHead),
            (CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, ActiveTransfer.receiveBody),
            (CURLOPT_READFUNCTION, CURLOPT_READDATA, ActiveTransfer.sendBody),
        ] {
            require(tessera_curl_set_transfer_function(self.easy, function, callback))
            require(tessera_curl_set_pointer(self.easy, data, context))
        }
        require(tessera_curl_set_request_function(self.easy, ActiveTransfer.beginRequest, context))
        let owner = Unmanaged.passUnretained(engine).toOpaque()
        require(tessera_curl_set_socket_functions(self.easy, CurlEngine.openSocket, CurlEngine.closeSocket, owner))
    }

    /// Returns libcurl's list of header fields, which is valid until the next call.
    private func list(of fields: CurlMessage.Fields) -> UnsafeMutablePointer<curl_slist>? {
        if fields.count > self.nodes.count {
            self.nodes.deallocate()
            self.nodes = .allocate(capacity: fields.count)
        }
        guard fields.count > 0, let start = self.nodes.baseAddress else { return nil }
        var text = fields.text.baseAddress?.bindMemory(to: CChar.self, capacity: fields.text.count)
        for index in 0..<fields.count {
            let next = index + 1 < fields.count ? start + index + 1 : nil
            (start + index).initialize(to: curl_slist(data: text, next: next))
            text = text.map { $0 + strlen($0) + 1 }
        }
        return start
    }
}
#endif
