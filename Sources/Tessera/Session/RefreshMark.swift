// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The write-ahead mark of a refresh: which refresh token was about to be sent, and when.
///
/// A mark that is still there when a record is loaded says that a process died, or lost its disk, between sending the
/// refresh token and saving its successor.
public struct RefreshMark: Sendable, Hashable {
    /// When the refresh was begun.
    public let begunAt: Date
    /// The record's generation that it started from.
    public let generation: Int64

    /// A mark.
    public init(begunAt: Date, generation: Int64) {
        self.begunAt = begunAt
        self.generation = generation
    }
}
