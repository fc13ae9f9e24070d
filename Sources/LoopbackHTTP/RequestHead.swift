// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Reads a request line and its fields, strictly: anything but the standard's form is refused.
///
/// - SeeAlso: [RFC 9112, sections 2 to 5](https://www.rfc-editor.org/rfc/rfc9112.html#section-2)
enum RequestHead {
    /// The request without its body; nil when the bytes, which end with the empty line, are not one.
    static func parse(_ bytes: ArraySlice<UInt8>) -> LoopbackRequest? {
        guard var lines = Self.lines(bytes), !lines.isEmpty else { return nil }
        let parts = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, let method = Self.token(parts[0]), let target = Self.target(parts[1]) else {
            return nil
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { return nil }
        var request = LoopbackRequest(method: method, target: target)
        for line in lines {
            guard let header = Self.header(line) else { return nil }
            request.headers.append(header)
        }
        let hosts = request.values(of: "Host").count
        guard hosts == 1 || (hosts == 0 && version == "HTTP/1.0") else { return nil }
        return request
    }

    /// Whether the byte may stand in a method or a field name.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// The lines before the empty one; nil when a line feed or a carriage return stands alone.
    private static func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var lines: [ArraySlice<UInt8>] = []
        for line in bytes.dropLast(2).split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            guard line.last == 0x0D else { return nil }
            let content = line.dropLast()
            guard !content.contains(0x0D) else { return nil }
            lines.append(content)
        }
        return lines
    }

    private static func token(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy(Self.isToken) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func target(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func header(_ line: ArraySlice<UInt8>) -> LoopbackRequest.Header? {
        guard let colon = line.firstIndex(of: 0x3A), let name = Self.token(line[..<colon]) else { return nil }
        var value = line[line.index(after: colon)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
        return LoopbackRequest.Header(name: name, value: String(decoding: value, as: UTF8.self))
    }
}
