// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// An answer's body whose call has its turn until the end is read.
final class HeldBody: HTTPBodySource {
    private let body: HTTPBody
    private let turn: HostTurn

    init(_ body: HTTPBody, _ turn: HostTurn) {
        self.body = body
        self.turn = turn
    }

    func start() -> HTTPBody.Next {
        var chunks = self.body.makeAsyncIterator()
        return {
            do {
                if let chunk = try await chunks.next() { return chunk }
            } catch {
                self.turn.end()
                throw error
            }
            self.turn.end()
            return nil
        }
    }

    func collect(upTo limit: Int) async throws -> [UInt8] {
        defer { self.turn.end() }
        return try await self.body.collect(upTo: limit)
    }
}
