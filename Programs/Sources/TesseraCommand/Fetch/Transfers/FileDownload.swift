// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch

/// `tessera fetch -o FILE --resume`.
struct FileDownload {
    let file: String

    /// Downloads what is missing, and returns the last answer's head.
    func run(_ request: HTTPRequest, _ fetcher: AuthorizedFetcher) async throws -> HTTPResponse {
        try await KeptTransfer.download(to: self.file) { progress in
            try await fetcher.download(request, to: self.file, progress: progress)
        }
    }
}
