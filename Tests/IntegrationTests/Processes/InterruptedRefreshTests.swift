// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && SQLite
internal import Foundation
internal import Tessera
internal import TesseraLocalProvider
internal import TestTraits
internal import Testing
internal import TestPrograms

@Suite("Refreshes interrupted between rotation and save")
struct InterruptedRefreshTests {
    @Test(
        "The next process reports the interrupted refresh, even if its first attempt fails",
        .covers(114, 115),
        .timeLimit(.minutes(2)),
        arguments: ["file", "sqlite"]
    )
    func killed(kind: String) async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        let provider = try await LocalProvider.start(options)
        let directory = FileManager.default.temporaryDirectory.appending(path: "interrupted-\(UUID().uuidString)")
        let keys = directory.appending(path: "keys").path
        let (name, store) = try RefreshRounds(kind: kind, processes: 1, rounds: 1).store(in: directory, keys: keys)
        try await RefreshRounds.signIn(at: provider, store: store)
        let account = try #require(try await store.list().first)
        let probe = ChildProgram.built("RefreshProbe")

        provider.change { $0.tokenFaults = [.delayedResponse] }
        let first = try ChildProgram([probe, name, keys])
        #expect(await first.output.line() == "ready")
        first.send("4000\n")
        while provider.refreshRequestCount == 0 { await Task.yield() }
        await first.kill()
        #expect(try await store.load(account)?.refreshMark != nil)

        // A failed request reveals nothing about the refresh, so the mark has to remain.
        provider.change { $0.tokenFaults = [.unavailable()] }
        let second = try ChildProgram([probe, name, keys])
        #expect(await second.output.line() == "ready")
        second.send("4000\n")
        #expect(await second.output.line()?.hasPrefix("error ") == true)
        #expect(try await store.load(account)?.refreshMark != nil)
        second.send("8000\n")
        #expect(await second.output.line()?.contains("a refresh was interrupted") == true)
        second.closeInput()
        _ = await second.exitStatus
        let record = try #require(try await store.load(account))
        #expect(record.tokens == nil)
        #expect(record.history.endReason == "interrupted")
        await provider.stop()
        try FileManager.default.removeItem(at: directory)
    }
}
#endif
