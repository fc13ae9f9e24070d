// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import HTTPTypes
internal import TesseraFetch

/// `tessera fetch -o FILE --resume`.
struct FileDownload {
    let file: String

    /// Downloads what is missing, and returns the last answer's head.
    func run(_ request: HTTPRequest, _ fetcher: AuthorizedFetcher) async throws -> HTTPResponse {
        let display = TransferDisplay(String(self.file.split(separator: "/").last ?? "download"))
        let progress = TransferProgress()
        async let shown: Void = display.follow(progress)
        do {
            let response = try await fetcher.download(request, to: self.file, progress: progress)
            await shown
            return response
        } catch {
            await shown
            throw TransferStopped.error(error, progress.latest, "received", canGoOn: true)
        }
    }
}
#endif
