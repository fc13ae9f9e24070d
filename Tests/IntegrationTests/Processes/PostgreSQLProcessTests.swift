// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraTesting
internal import Testing

@Suite("A PostgreSQL store among processes")
struct PostgreSQLProcessTests {
    private static let probe = Bundle.main.bundleURL.appending(path: "StoreProbe").path

    @Test("Killed at random moments, a process leaves the last record or the one before it (115)")
    func killed() async throws {
        let keys = FileManager.default.temporaryDirectory.path + "/postgresql-processes-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: keys) }
        let seed = UInt64.random(in: .min ... .max)
        print("seed of the random kills: \(seed)")
        let random = SeededRandomBytes(seed: seed)
        try await PostgreSQLInstance.with { server in
            let store = try PostgreSQLStore(Secret(server.url), keyDirectory: keys)
            try await store.probe()
            var sum: Int64 = 0
            for round in 0..<Repetitions.count("TESSERA_KILLS", usually: 25) {
                let probe = try ChildProcess(Self.probe, ["churn", server.url, keys, "\(round)"])
                let bytes = random.next(2)
                try await Task.sleep(for: .microseconds((Int(bytes[0]) << 8 | Int(bytes[1])) * 4))
                kill(probe.processID, SIGKILL)
                let said = String(decoding: await probe.finish().output, as: UTF8.self)
                let saved =
                    said.split(separator: "\n").last { $0.hasPrefix("saved: ") }
                    .flatMap { Int64($0.dropFirst("saved: ".count)) } ?? 0
                let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada-\(round)")
                guard var record = try await store.load(ada) else {
                    #expect(saved == 0, "round \(round), seed \(seed)")
                    continue
                }
                #expect([saved, saved + 1].contains(record.generation), "round \(round), seed \(seed)")
                record.refreshMark = nil
                let whole = try SessionRecord.sample(for: ada, generation: record.generation, size: 8192)
                #expect(record == whole, "round \(round), seed \(seed)")
                sum += record.generation
            }
            #expect(sum > 0)
        }
    }
}
#endif
