// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import GTMSessionFetcherCore

/// Downloads and uploads of notes.
final class Transfers {
    private let service = GTMSessionFetcherService()

    init(authorizer: GTMSessionFetcherAuthorizer?) {
        self.service.authorizer = authorizer
        self.service.isRetryEnabled = true
        self.service.maxRetryInterval = 30
        self.service.userAgent = "Notes/1.0"
    }

    func list(_ completion: @escaping (Data?, String?) -> Void) {
        let fetcher = self.service.fetcher(with: Server.url("notes"))
        fetcher.comment = "List of notes"
        fetcher.beginFetch { data, error in
            guard let error = error as NSError? else { return completion(data, nil) }
            let isStatus = error.domain == kGTMSessionFetcherStatusDomain
            completion(nil, isStatus ? "Status \(error.code)" : error.localizedDescription)
        }
    }

    func download(_ note: String, to file: URL) async throws {
        let fetcher = self.service.fetcher(with: Server.url("notes/\(note)"))
        fetcher.destinationFileURL = file
        fetcher.downloadProgressBlock = { _, total, expected in print("\(total) of \(expected)") }
        _ = try await fetcher.beginFetch()
    }

    func upload(_ file: URL, completion: @escaping (Error?) -> Void) -> GTMSessionUploadFetcher {
        let request = URLRequest(url: Server.url("upload"))
        let fetcher = GTMSessionUploadFetcher(
            request: request,
            uploadMIMEType: "text/plain",
            chunkSize: kGTMSessionUploadFetcherStandardChunkSize,
            fetcherService: self.service
        )
        fetcher.uploadFileURL = file
        fetcher.beginFetch { _, error in completion(error) }
        return fetcher
    }
}
