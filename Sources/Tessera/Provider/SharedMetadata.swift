// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// A provider's metadata behind a reference: a server that holds ten thousand sessions holds them once.
final class SharedMetadata: Sendable, Hashable {
    let metadata: ServerMetadata

    init(_ metadata: ServerMetadata) { self.metadata = metadata }

    static func == (left: SharedMetadata, right: SharedMetadata) -> Bool {
        left === right || left.metadata == right.metadata
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.metadata) }
}
