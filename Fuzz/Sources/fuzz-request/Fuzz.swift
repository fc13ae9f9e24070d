// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
internal import Oracles

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks that a request is read equally in parts of any size, matches a second reader, and is equal when it is written
/// and read again.
private func check(_ bytes: [UInt8]) {
    let outcome = read([bytes[...]])
    for size in [1, 2 + bytes.count % 61] {
        let parts = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        expect(read(parts) == outcome, "a request is read equally in parts")
    }
    switch outcome {
    case .needsMore: break
    case .refused(let status): expect([400, 413, 431].contains(status), "a rejected request has one of three statuses")
    case .request(let request):
        expect(agrees(request, with: bytes), "a second reader returns the same request")
        expect(read([written(request)[...]]) == .request(request), "a request that is written and read again is equal")
    }
}

private func read(_ parts: [ArraySlice<UInt8>]) -> RequestReader.Result {
    var reader = RequestReader(limits: LoopbackLimits())
    for part in parts {
        let outcome = reader.append(part)
        if outcome != .needsMore { return outcome }
    }
    return .needsMore
}

/// Compares a request with the lines of its head, split at line breaks and spaces.
private func agrees(_ request: LoopbackRequest, with bytes: [UInt8]) -> Bool {
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    for byte in bytes {
        line.append(byte)
        guard line.suffix(2) == [0x0D, 0x0A] else { continue }
        if line.count == 2 { break }
        lines.append(line.dropLast(2))
        line = []
    }
    guard let first = lines.first, lines.count == request.headers.count + 1 else { return false }
    let words = String(decoding: first, as: UTF8.self).unicodeScalars.split(separator: " ").map(String.init)
    guard words.count == 3, words[0] == request.method, words[1] == request.target else { return false }
    return zip(lines.dropFirst(), request.headers)
        .allSatisfy { line, header in
            let start = header.name.utf8.count + 1
            guard line.starts(with: (header.name + ":").utf8) else { return false }
            let value = String(decoding: line[start...], as: UTF8.self).unicodeScalars
            return value.drop { $0 == " " || $0 == "\t" }.starts(with: header.value.unicodeScalars)
        }
}

private func written(_ request: LoopbackRequest) -> [UInt8] {
    let version = request.values(of: "Host").isEmpty ? "HTTP/1.0" : "HTTP/1.1"
    var text = "\(request.method) \(request.target) \(version)\r\n"
    for header in request.headers { text += "\(header.name): \(header.value)\r\n" }
    let head = Array((text + "\r\n").utf8)
    guard !request.values(of: "Transfer-Encoding").isEmpty else { return head + request.body }
    let end = Array("0\r\n\r\n".utf8)
    guard !request.body.isEmpty else { return head + end }
    let size = Array((String(request.body.count, radix: 16) + "\r\n").utf8)
    return head + size + request.body + Array("\r\n".utf8) + end
}
