// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Request reader")
struct RequestReaderInternalTests {
    @Test(
        "Rejects a malformed or ambiguous request with 400",
        arguments: [
            "GET /\r\nHost: h\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
            " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
            "GET / http/1.1\r\nHost: h\r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /\u{0} HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /é HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\n: empty\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
            "\u{16}\u{3}\u{1}",
        ]
    )
    func malformed(text: String) {
        var reader = RequestReader(limits: LoopbackLimits())
        #expect(reader.append(text.utf8) == .refused(400))
    }

    @Test("Keeps the order of fields and the bytes of values, and trims whitespace around values")
    func fields() throws {
        var reader = RequestReader(limits: LoopbackLimits())
        let outcome = reader.append("GET /x?%zz HTTP/1.1\r\nhOST:  h \t\r\nX:\r\nx: é\r\n\r\n".utf8)
        guard case .request(let request) = outcome else {
            Issue.record("not a request: \(outcome)")
            return
        }
        #expect(request.target == "/x?%zz")
        #expect(request.value(of: "Host") == "h")
        #expect(request.values(of: "X") == ["", "é"])
        #expect(request.value(of: "X") == nil)
    }

    @Test("Reads the same request from pieces of any size", arguments: [1, 2, 3, 5, 64])
    func pieces(size: Int) {
        let whole = Array(
            """
            POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n\
            3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\nGET /next
            """
            .utf8
        )
        var reader = RequestReader(limits: LoopbackLimits())
        var outcome = RequestReader.Result.needsMore
        for start in stride(from: 0, to: whole.count, by: size) where outcome == .needsMore {
            outcome = reader.append(whole[start..<min(start + size, whole.count)])
        }
        guard case .request(let request) = outcome else {
            Issue.record("not a request: \(outcome)")
            return
        }
        #expect(request.body == Array("abc0123456789".utf8))
    }

    @Test("Survives random input, whole or in pieces", .covers(125), arguments: 0..<4 as Range<UInt64>)
    func anything(worker: UInt64) async {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed &* 8 &+ worker)
        let seeds = [
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "POST /p HTTP/1.0\r\nContent-Length: 4\r\n\r\nabcd",
        ]
        .map { Array($0.utf8) }
        let limits = LoopbackLimits(headerBytes: 256, bodyBytes: 64)
        for round in 0..<2_000 {
            if round % 50 == 0 { await Task.yield() }
            let dice = random.next(8)
            var bytes = seeds[Int(dice[0]) % seeds.count]
            for change in 0..<Int(dice[1] % 4) {
                let location = Int(random.next(1)[0]) % bytes.count
                switch dice[2 + change] % 4 {
                case 0: bytes[location] = random.next(1)[0]
                case 1: bytes.remove(at: location)
                case 2: bytes.insert(contentsOf: random.next(3), at: location)
                default: bytes.insert(contentsOf: bytes[location...], at: location)
                }
            }
            var reader = RequestReader(limits: limits)
            var outcome = RequestReader.Result.needsMore
            let size = Int(dice[7] % 16) + 1
            for start in stride(from: 0, to: bytes.count, by: size) where outcome == .needsMore {
                outcome = reader.append(bytes[start..<min(start + size, bytes.count)])
            }
            if case .request(let request) = outcome {
                #expect(request.body.count <= 64, "seed \(seed)")
                #expect(request.target.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "seed \(seed)")
            }
        }
    }
}
