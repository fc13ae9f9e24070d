// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where the bytes of a response come from: once, either chunk by chunk or all together, which takes fewer steps.
package protocol HTTPBodySource: AnyObject, Sendable {
    /// What makes the chunks; it throws ``TransportError`` `bodyAlreadyRead` from the second time on.
    func start() -> HTTPBody.Next

    /// All bytes.
    ///
    /// - Throws: ``TransportError`` `bodyTooLarge` when there are more than `limit`, `bodyAlreadyRead`, and what the network
    ///   throws.
    func collect(upTo limit: Int) async throws -> [UInt8]
}
