// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What a server says of a new upload.
public struct UploadSession: Sendable {
    /// Where it takes the pieces, absolute.
    public var uri: Secret
    /// The granularity that the server demands; nil for the strategy's own, and for a number that is not within 1…64 MiB.
    ///
    /// A piece of a sequence is held in memory, so a server must not demand pieces of any size.
    public var granularity: Int?

    static let granularities = 1...(64 << 20)

    /// A session.
    public init(uri: Secret, granularity: Int? = nil) {
        self.uri = uri
        self.granularity = granularity.flatMap { Self.granularities.contains($0) ? $0 : nil }
    }
}
