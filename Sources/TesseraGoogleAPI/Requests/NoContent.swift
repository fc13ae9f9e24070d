// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// Nothing: all that a method answers is that it is done.
public struct NoContent: APIValue, Hashable {
    /// Nothing.
    public init() {}

    /// Takes anything.
    public init?(_ node: JSONNode) {}

    /// `null`.
    public var node: JSONNode { .null }
}
