// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("DPoP nonces")
struct DPoPNoncesTests {
    private let prover: DPoPProver

    init() throws {
        self.prover = DPoPProver(try .generate(), runtime: .testing(transport: ScriptedTransport([])))
    }

    private func updateNonce(_ fields: HTTPFields, from authority: String, status: HTTPResponse.Status = .ok) -> Bool {
        self.prover.updateNonce(
            from: HTTPResponse(status: status, headerFields: fields),
            to: HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        )
    }

    private func nonce(for authority: String, path: String = "/x") throws -> String? {
        var request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
        try self.prover.addProof(to: &request)
        return try ReadProof(request).claim("nonce")
    }

    @Test(
        "Sends the latest nonce only to the origin that issued it, whatever the status",
        .covers(103)
    )
    func origins() throws {
        #expect(try self.nonce(for: "as.example") == nil)
        #expect(self.updateNonce(try .nonce("a1"), from: "as.example"))
        #expect(self.updateNonce(try .nonce("r1"), from: "api.example", status: .internalServerError))
        #expect(self.updateNonce(try .nonce("a2"), from: "AS.example:443", status: .badRequest))
        #expect(try self.nonce(for: "as.example") == "a2")
        #expect(try self.nonce(for: "api.example") == "r1")
        for other in ["as.example:8443", "x.as.example", "as.example.evil.example"] {
            #expect(try self.nonce(for: other) == nil)
        }
        var plain = HTTPRequest(method: .get, scheme: "http", authority: "as.example", path: "/")
        try self.prover.addProof(to: &plain)
        #expect(try ReadProof(plain).claim("nonce") == nil)
    }

    @Test(
        "Ignores an invalid nonce and keeps the previous one",
        .covers(103),
        arguments: [
            "", " ", "a b", "a\"b", "a\\b", "a\u{7F}b", "é", "a\r\nX: y", "a\tb", String(repeating: "n", count: 513),
            String(repeating: "n", count: 10_000),
        ]
    )
    func unusable(_ nonce: String) throws {
        #expect(self.updateNonce(try .nonce("good"), from: "as.example"))
        #expect(!self.updateNonce(try .nonce(nonce), from: "as.example"))
        #expect(!self.updateNonce(try .nonce("one", "two"), from: "as.example"))
        #expect(!self.updateNonce([:], from: "as.example"))
        #expect(try self.nonce(for: "as.example") == "good")
    }

    @Test(
        "Accepts a nonce with every permitted character and one of the maximum length",
        .covers(103),
        arguments: [
            String(decoding: (UInt8(0x21)...0x7E).filter { $0 != 0x22 && $0 != 0x5C }, as: UTF8.self),
            String(repeating: "n", count: DPoPNonces.maximumLength),
        ]
    )
    func usable(nonce: String) throws {
        #expect(self.updateNonce(try .nonce(nonce), from: "as.example"))
        #expect(try self.nonce(for: "as.example") == nonce)
    }

    @Test("Forgets the least recently used origin beyond the capacity", .covers(103))
    func capacity() throws {
        for number in 0..<DPoPNonces.capacity {
            #expect(self.updateNonce(try .nonce("n\(number)"), from: "h\(number).example"))
        }
        #expect(try self.nonce(for: "h0.example") == "n0")
        #expect(self.updateNonce(try .nonce("new"), from: "new.example"))
        #expect(try self.nonce(for: "h1.example") == nil)
        #expect(try self.nonce(for: "h0.example") == "n0")
        #expect(try self.nonce(for: "h2.example") == "n2")
        #expect(try self.nonce(for: "new.example") == "new")
    }
}
