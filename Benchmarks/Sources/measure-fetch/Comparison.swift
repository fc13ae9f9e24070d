// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The clients to compare.
enum Comparison: String {
    /// TesseraFetch compared with async-http-client.
    case fetch
    /// async-http-client compared with itself, which shows the noise of the machine.
    case control
    /// A generated client compared with TesseraFetch.
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
