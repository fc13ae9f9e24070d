// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What a server says of a new upload.
public struct UploadSession: Sendable {
    /// Where it takes the pieces, absolute.
    public var uri: Secret
    /// What it demands in place of the strategy's own.
    public var granularity: Int?

    /// A session.
    public init(uri: Secret, granularity: Int? = nil) {
        self.uri = uri
        self.granularity = granularity
    }
}
