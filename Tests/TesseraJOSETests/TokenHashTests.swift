// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TestTraits
internal import Testing

@Suite("Token hashes")
struct TokenHashTests {
    private static let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    private static let sha256 = "77QmUPtjPfzWtF2AnpK9RQ"
    private static let sha384 = "jtAeDp945y1dDqU3nkIVGNZP1HjH_MFs"
    private static let sha512 = "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM"

    static let values: [(JWSAlgorithm, String)] = [
        (.rs256, sha256), (.ps256, sha256), (.es256, sha256), (.rs384, sha384), (.ps384, sha384), (.es384, sha384),
        (.rs512, sha512),
        (.ps512, sha512), (.es512, sha512), (.edDSA, sha512), (.ed25519, sha512),
    ]

    @Test("Computes the left half of the algorithm's hash", .covers(94), arguments: Self.values)
    func value(_ algorithm: JWSAlgorithm, _ hash: String) {
        #expect(TokenHash.compute(of: Self.token, algorithm: algorithm) == hash)
        #expect(TokenHash.matches(hash, of: Self.token, algorithm: algorithm))
        #expect(!TokenHash.matches(hash, of: Self.token + " ", algorithm: algorithm))
        #expect(!TokenHash.matches(hash + "=", of: Self.token, algorithm: algorithm))
        #expect(!TokenHash.matches("", of: Self.token, algorithm: algorithm))
    }

    @Test("Accepts SHA-256 and SHA-512 for EdDSA, and otherwise only the algorithm's hash", .covers(94))
    func edDSA() {
        #expect(TokenHash.matches(Self.sha256, of: Self.token, algorithm: .edDSA))
        #expect(!TokenHash.matches(Self.sha384, of: Self.token, algorithm: .edDSA))
        #expect(!TokenHash.matches(Self.sha512, of: Self.token, algorithm: .rs256))
        #expect(!TokenHash.matches(Self.sha256, of: Self.token, algorithm: .es384))
        #expect(!TokenHash.matches(Self.sha256, of: Self.token, algorithm: .rs512))
    }

    @Test("Returns nil for an unsupported algorithm", arguments: ["none", "HS256", ""])
    func unsupported(_ name: String) {
        #expect(TokenHash.compute(of: Self.token, algorithm: JWSAlgorithm(rawValue: name)) == nil)
        #expect(!TokenHash.matches(Self.sha256, of: Self.token, algorithm: JWSAlgorithm(rawValue: name)))
    }
}
