// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SessionRecord {
    /// The record of the session once it is over: without tokens and their key, with the reason.
    func closed(_ end: SessionEndedError, at date: Date) -> SessionRecord {
        var closed = self
        closed.tokens = nil
        closed.dpopKey = nil
        closed.generation += 1
        closed.refreshMark = nil
        closed.history.endedAt = date
        closed.history.endReason = end.code.description
        closed.history.refusal = end.cause
        return closed
    }
}
