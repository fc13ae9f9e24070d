// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import CTesseraCurl
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

/// A strictly parsed response head.
///
/// libcurl accepts more than RFC 9112 permits, and attackers can exploit differences between two parsers.
struct CurlResponseHead: Sendable {
    let response: HTTPResponse
    /// The length of the body in bytes, if known.
    let length: Int64?

    /// Parses a head that consists of a status line, fields and an empty line, each ending with CR LF.
    ///
    /// - Throws: `TransportError` with `invalidResponse` if the head contains invalid fields, line folding, a space
    ///   before a colon, contradictory lengths, both a length and a transfer coding, or a coding other than `chunked`
    ///   (RFC 9112, sections 5 and 6.3).
    init(_ bytes: [UInt8], method: String, host: String) throws(TransportError) {
        let invalid = TransportError(.invalidResponse, host: host)
        guard let code = Self.statusCode(of: bytes) else { throw invalid }
        var fields = HTTPFields()
        var length: Int64?
        var isCoded = false
        var start = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        while start < bytes.count, let end = bytes[start...].firstIndex(of: 0x0A) {
            let line = bytes[start..<(end - 1)]
            start = end + 1
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)),
                line.allSatisfy({ $0 != 0 && $0 != 0x0D })
            else { throw invalid }
            var value = line[(colon + 1)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            let text = String(decoding: value, as: UTF8.self)
            if name == .contentLength {
                guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
                    length ?? number == number
                else { throw invalid }
                length = number
            }
            if name == .transferEncoding {
                // libcurl would decode other codings, which were not requested.
                guard text.lowercased() == "chunked" else { throw invalid }
                isCoded = true
            }
            fields.append(HTTPField(name: name, value: text))
        }
        if isCoded, length != nil { throw invalid }
        self.response = HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: fields)
        self.length = method == "HEAD" || code == 204 || code == 304 ? 0 : length
    }

    /// Returns the status code in a head, or nil if its status line is not valid.
    static func statusCode(of head: [UInt8]) -> Int? {
        // The status line begins with `HTTP/1.1 200` or `HTTP/2 200`.
        guard head.starts(with: "HTTP/".utf8), let space = head.firstIndex(of: 0x20), head.count > space + 4 else {
            return nil
        }
        let digits = head[(space + 1)...(space + 3)]
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), [0x20, 0x0D].contains(head[space + 4]) else {
            return nil
        }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return code >= 100 ? code : nil
    }
}

extension TransportError {
    /// Returns the error for a libcurl result code.
    static func of(_ code: CURLcode, proxyStatus: Int, host: String) -> TransportError {
        TransportError(
            Self.code(ofProxyStatus: proxyStatus) ?? Self.code(of: code),
            host: host,
            underlying: CurlError(number: Int(code.rawValue))
        )
    }

    /// Returns the code for a proxy's response to CONNECT, or nil if there was none or the proxy connected.
    private static func code(ofProxyStatus status: Int) -> Code? {
        switch status {
        case 0, 200...299: nil
        // The server or the proxy is temporarily unavailable.
        case 429, 502...504: .cannotConnect
        default: .unusableProxy
        }
    }

    private static func code(of code: CURLcode) -> Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .nameResolution
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .unusableProxy
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_URL_MALFORMAT: .invalidURL
        // The URL has already been validated, so an unsupported protocol means that the response has no status line.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING: .invalidResponse
        default: .connectionLost
        }
    }
}

/// The result code of a failed libcurl transfer.
struct CurlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The `CURLcode`.
    let number: Int

    /// libcurl's description of the code, which contains no part of the request.
    var description: String {
        "libcurl \(self.number): \(String(cString: curl_easy_strerror(CURLcode(rawValue: UInt32(self.number)))))"
    }
}
#endif
