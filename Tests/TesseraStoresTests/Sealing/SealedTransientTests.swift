// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import Testing

@Suite("Sealed transient values")
struct SealedTransientTests {
    private static let now = Date(timeIntervalSince1970: 1_000)
    private static let end = Self.now.addingTimeInterval(60)
    private static let keys = StoreKeys(StoreKey.random())

    @Test("Hides content and name, and opens only with the same name and key")
    func sealed() throws {
        let sealed = try Self.seal("a secret content")
        #expect(!String(decoding: sealed, as: UTF8.self).contains("secret"))
        #expect(try Self.open(sealed) == Array("a secret content".utf8))
        #expect { try Self.open(sealed, as: "another") } throws: { StoreError.Code.corrupt ~= $0 }
        let other = StoreKeys(StoreKey.random())
        #expect {
            try SealedTransient.open(sealed, as: "name", now: Self.now, with: other, location: "test")
        } throws: { StoreError.Code.keyMissing ~= $0 }
        let moved = StoreKeys(other.current, former: [Self.keys.current])
        #expect(
            try SealedTransient.open(sealed, as: "name", now: Self.now, with: moved, location: "test")
                == Array("a secret content".utf8)
        )
        #expect(SealedTransient.digest(of: "a") != SealedTransient.digest(of: "b"))
    }

    @Test("Rejects a sealed value with a changed or missing byte")
    func damaged() throws {
        let sealed = try Self.seal("content")
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 1
            #expect(throws: StoreError.self, "byte \(index)") { try Self.open(bytes) }
            #expect(throws: StoreError.self, "the first \(index)") { try Self.open(Array(sealed[..<index])) }
        }
    }

    @Test("Seals the expiration date with the value")
    func end() throws {
        let sealed = try Self.seal("content")
        #expect(try Self.open(sealed, now: Self.end) == nil)
        #expect(try Self.open(sealed, now: Self.end.addingTimeInterval(-0.001)) != nil)
    }

    @Test("Rejects content that is too long")
    func tooLong() {
        #expect { try Self.seal(String(repeating: "x", count: (1 << 16) + 1)) } throws: {
            StoreError.Code.unavailable ~= $0
        }
    }

    private static func seal(_ content: String) throws -> [UInt8] {
        try SealedTransient.seal(Array(content.utf8), as: "name", until: self.end, with: self.keys, location: "test")
    }

    private static func open(_ sealed: [UInt8], as name: String = "name", now: Date = Self.now) throws -> [UInt8]? {
        try SealedTransient.open(sealed, as: name, now: now, with: self.keys, location: "test")
    }
}
