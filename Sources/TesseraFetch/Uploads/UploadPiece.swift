// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A part of an upload that goes in one request.
public struct UploadPiece: Sendable, Hashable {
    /// Where it begins.
    public var offset: Int64
    /// How long it is, 0 for the end of what has been sent already.
    public var count: Int64
    /// How long the whole is, nil while nobody knows.
    public var total: Int64?
    /// Whether nothing comes after it.
    public var isLast: Bool

    /// A piece.
    public init(offset: Int64, count: Int64, total: Int64?, isLast: Bool) {
        self.offset = offset
        self.count = count
        self.total = total
        self.isLast = isLast
    }

    /// Where it ends.
    public var end: Int64 { self.offset + self.count }
}
