// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Who is compared with whom.
enum Comparison: String {
    /// TesseraFetch beside async-http-client itself.
    case fetch
    /// async-http-client beside itself: the ratio is what this machine makes of equals.
    case control
    /// A generated client beside TesseraFetch.
    case typed

    func own(_ url: String) async throws -> Side {
        switch self {
        case .fetch: try await Side.fetcher(url)
        case .control: Side.asyncHTTPClient(url)
        case .typed: try await Side.typedClient(url)
        }
    }

    func peer(_ url: String) async throws -> Side {
        switch self {
        case .fetch, .control: Side.asyncHTTPClient(url)
        case .typed: try await Side.fetcher(url)
        }
    }
}
