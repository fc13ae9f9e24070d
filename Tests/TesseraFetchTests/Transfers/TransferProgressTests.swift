// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraFetch

@Suite("Transfer progress")
struct TransferProgressTests {
    @Test("Reports equal steps in a row once")
    func equalSteps() async {
        let progress = TransferProgress()
        var steps = progress.makeAsyncIterator()
        progress.report(5, of: 10)
        #expect(await steps.next() == TransferProgress.Step(completed: 5, total: 10))
        progress.report(5, of: 10)
        progress.finish()
        #expect(await steps.next() == nil)
    }
}
