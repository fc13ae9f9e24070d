// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Format of encrypted files")
struct EncryptedFileFormatInternalTests {
    @Test("Leaves a file of a newer version unchanged and reports it as newer, not damaged", .covers(119))
    func newer() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let header: [UInt8] = [1, 2, 3]
        var bytes =
            SealedRecord.magic + BigEndian.bytes(of: UInt16(3)) + BigEndian.bytes(of: UInt32(header.count)) + header
        bytes += SealedRecord.check(bytes[...]) + [9, 9, 9]
        try StoreFolder.write(bytes, to: path)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().load(StoreFolder.ada) } == .newerFormat)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().list() } == .newerFormat)
        #expect(try StoreFolder.read(path) == bytes)
    }

    @Test(
        "Reports a record with any changed bit as damaged",
        .covers(119),
        arguments: [nil, RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000), generation: 1)]
    )
    func everyBit(mark: RefreshMark?) throws {
        let key = try StoreKey([UInt8](repeating: 7, count: StoreKey.length))
        var record = try SessionRecord.sample(for: StoreFolder.ada, size: 0)
        record.refreshMark = mark
        let original = try SealedRecord.seal(record, with: key, location: "file")
        func open(_ bytes: [UInt8]) throws -> SessionRecord {
            try SealedRecord(parsing: bytes, location: "file").open(with: StoreKeys(key), of: "key", location: "file")
        }
        #expect(try open(original) == record)
        for index in original.indices {
            for bit in 0..<8 {
                var bytes = original
                bytes[index] ^= 1 << bit
                let error = #expect(throws: StoreError.self, "bit \(bit) of byte \(index)") { try open(bytes) }
                #expect(error?.code == .corrupt, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test("Reports a header rewritten for another account as damaged, even with a valid checksum")
    func relabeled() throws {
        let key = try StoreKey([UInt8](repeating: 7, count: StoreKey.length))
        let original = try SealedRecord.seal(try .sample(for: StoreFolder.ada), with: key, location: "file")
        let parsed = try SealedRecord(parsing: original, location: "file")
        var header = Array(parsed.associated.dropLast(8))
        // The subject precedes the random 12-byte nonce, in which any letter may occur.
        let subject = header.count - 12 - 3..<header.count - 12
        try #require(Array(header[subject]) == Array("ada".utf8))
        header.replaceSubrange(subject, with: Array("bob".utf8))
        let forged = header + SealedRecord.check(header[...]) + parsed.sealed
        let forgedRecord = try SealedRecord(parsing: forged, location: "file")
        #expect(forgedRecord.account == StoreFolder.bob)
        let error = #expect(throws: StoreError.self) {
            try forgedRecord.open(with: StoreKeys(key), of: "key", location: "file")
        }
        #expect(error?.detail == "decryption failed")
    }

    @Test("Descriptions of a key do not reveal it", .covers(124))
    func key() throws {
        let key = try StoreKey((0..<32).map { _ in 0xA7 })
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\(Optional(key) as Any)"] {
            #expect(text.contains("redacted"))
            #expect(!text.contains("167"))
        }
    }

    @Test("Grants turns in the order of their requests")
    func turns() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let turns = AccountQueue()
        let key = AccountKey(StoreFolder.ada)
        try await turns.take(key)
        let (order, log) = AsyncStream<Int>.makeStream()
        let tasks = (0..<50)
            .map { number in
                Task.immediate {
                    try await turns.take(key)
                    log.yield(number)
                    turns.pass(key)
                }
            }
        turns.pass(key)
        for task in tasks { try await task.value }
        log.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == Array(0..<50))
    }
}
