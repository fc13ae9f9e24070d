// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkDocuments
internal import BenchmarkSession
internal import Foundation
internal import GoogleDriveV3
internal import HTTPTypes
internal import Tessera
internal import TesseraCurl
internal import TesseraFetch

/// Lists files page by page as objects, or only receives the pages.
///
/// A loopback server serves the pages as static files.
struct PagedListing: Sendable {
    let origin: String
    let pages: Int
    let transport: CurlTransport
    let drive: DriveV3

    /// Creates a listing.
    ///
    /// - Parameters:
    ///   - origin: The origin of the server.
    ///   - pages: The number of pages.
    ///   - certificate: The path of the server's certificate, or nil for a trusted certificate or HTTP.
    /// - Throws: `StoreError` if the session cannot be created.
    init(origin: String, pages: Int, certificate: String?) async throws {
        self.origin = origin
        self.pages = pages
        self.transport = CurlTransport(
            insecure: .loopbackHTTP,
            additionalTrustRoots: certificate.map { [$0] } ?? []
        )
        let session = try await BenchmarkSession.make(origin: origin, transport: self.transport)
        let fetcher = AuthorizedFetcher(session, transport: self.transport)
        self.drive = DriveV3(fetcher: fetcher, settings: APISettings(rootURL: "\(origin)/"))
    }

    /// Writes the pages, each with 1,000 files and the token of the next page, to files named after their tokens.
    ///
    /// The files have all members if `isFull` is true, or else the members that Drive sends by default.
    static func write(to folder: String, pages: Int, isFull: Bool) throws {
        let page = isFull ? FileList.page(files: 1_000, isIndented: false) : FileList.defaultPage(files: 1_000)
        for number in 1...pages {
            let mark = number < pages ? #"{"nextPageToken":"\#(number + 1)","# : "{"
            let path = URL(fileURLWithPath: folder).appendingPathComponent("\(number)")
            try (Data(mark.utf8) + page.dropFirst()).write(to: path)
        }
    }

    /// Receives all pages in sequence without parsing them.
    func receive() async throws {
        for number in 1...self.pages {
            var request = try HTTPRequest(
                method: .get,
                url: "\(self.origin)/drive/v3/files?pageSize=1000&pageToken=\(number)&prettyPrint=false"
            )
            request.headerFields[.authorization] = BenchmarkSession.authorization
            let (response, body) = try await self.transport.send(request, body: nil)
            let bytes = try await body.collect(upTo: 16 << 20)
            precondition(response.status == .ok && bytes.count > 1_000)
        }
    }

    /// Lists all files and reads the identifier and name of each.
    func list() async throws {
        var (files, letters) = (0, 0)
        for try await file in self.drive.files.list(pageSize: 1_000).items {
            files += 1
            letters += (file.id?.utf8.count ?? 0) + (file.name?.utf8.count ?? 0)
        }
        precondition(files == self.pages * 1_000 && letters > files)
    }
}
