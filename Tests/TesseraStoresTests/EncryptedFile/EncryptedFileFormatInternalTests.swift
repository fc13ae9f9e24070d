// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The format of an encrypted file")
struct EncryptedFileFormatInternalTests {
    @Test("A file of a newer version is left as it is, and said to be newer, not damaged", .covers(119))
    func newer() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let header: [UInt8] = [1, 2, 3]
        var bytes =
            SealedRecord.magic + BigEndian.bytes(of: UInt16(2)) + BigEndian.bytes(of: UInt32(header.count)) + header
        bytes += SealedRecord.check(bytes[...]) + [9, 9, 9]
        try StoreFolder.write(bytes, to: path)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().load(StoreFolder.ada) } == .newerFormat)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().list() } == .newerFormat)
        #expect(try StoreFolder.read(path) == bytes)
    }

    @Test("A record with any one bit changed is damaged, and nothing else", .covers(119))
    func everyBit() throws {
        let key = try StoreKey([UInt8](repeating: 7, count: StoreKey.length))
        let record = try SessionRecord.sample(for: StoreFolder.ada, size: 0)
        let whole = try SealedRecord.seal(record, with: key, place: "file")
        func open(_ bytes: [UInt8]) throws -> SessionRecord {
            try SealedRecord(parsing: bytes, place: "file").open(with: StoreKeys(key), of: "key", place: "file")
        }
        #expect(try open(whole) == record)
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << bit
                let error = #expect(throws: StoreError.self, "bit \(bit) of byte \(index)") { try open(bytes) }
                #expect(error?.code == .corrupt, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test("A header that was rewritten for another account, its check and all, is damaged")
    func relabelled() throws {
        let key = try StoreKey([UInt8](repeating: 7, count: StoreKey.length))
        let whole = try SealedRecord.seal(try .sample(for: StoreFolder.ada), with: key, place: "file")
        let parsed = try SealedRecord(parsing: whole, place: "file")
        var header = Array(parsed.associated.dropLast(8))
        // The subject stands before the nonce of 12 bytes, which is random and may have any letter in it.
        let subject = header.count - 12 - 3..<header.count - 12
        try #require(Array(header[subject]) == Array("ada".utf8))
        header.replaceSubrange(subject, with: Array("bob".utf8))
        let forged = header + SealedRecord.check(header[...]) + parsed.sealed
        let bobs = try SealedRecord(parsing: forged, place: "file")
        #expect(bobs.account == StoreFolder.bob)
        let error = #expect(throws: StoreError.self) { try bobs.open(with: StoreKeys(key), of: "key", place: "file") }
        #expect(error?.detail == "it is not what was written")
    }

    @Test("A key shows in no rendering", .covers(124))
    func key() throws {
        let key = try StoreKey((0..<32).map { _ in 0xA7 })
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\(Optional(key) as Any)"] {
            #expect(text.contains("redacted"))
            #expect(!text.contains("167"))
        }
    }

    @Test("Turns are given in the order in which they were asked for")
    func turns() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
        let turns = AccountTurns()
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
