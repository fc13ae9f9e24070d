// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkDocuments
internal import BenchmarkSession
internal import GoogleDriveV3
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch

/// Lists files page by page with a transport that returns any number of pages.
enum Listing {
    static func run(pages: Int) async throws {
        let network = Pages(page: FileList.page(files: 1_000), count: pages)
        let session = try await BenchmarkSession.make(origin: "https://www.googleapis.com", transport: network)
        let drive = DriveV3(fetcher: AuthorizedFetcher(session, transport: network))
        var (files, letters) = (0, 0)
        for try await file in drive.files.list().items {
            files += 1
            letters += file.name?.utf8.count ?? 0
        }
        precondition(files == pages * 1_000 && letters > files)
        print(files)
    }

    /// A transport that returns the same page with a token for the next one, up to the number of pages.
    private struct Pages: HTTPTransport {
        let page: [UInt8]
        let count: Int

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let mark = request.path?.split(separator: "pageToken=").dropFirst().last?.prefix { $0 != "&" }
            let number = mark.flatMap { Int($0) } ?? 1
            let token = number < self.count ? #","nextPageToken":"\#(number + 1)"}"# : "}"
            let response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
            return (response, HTTPBody(self.page.dropLast() + Array(token.utf8)))
        }
    }
}
