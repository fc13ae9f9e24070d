// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import Synchronization
internal import TesseraJSON

/// The small Drive v3: about, a list of files, one file, its bytes, and new files.
final class DriveService: Sendable {
    let directory: DriveDirectory?
    let queue = BlockingQueue()
    private let catalog: Mutex<DriveCatalog>
    private let checksums = Mutex<[String: String]>([:])

    init(options: LocalProviderOptions) throws {
        if let path = options.dataDirectory {
            let directory = try DriveDirectory(path: path)
            let index = directory.open(DriveDirectory.indexName).map { $0.read(16 << 20, at: 0) }
            self.directory = directory
            self.catalog = Mutex(DriveCatalog(index: index ?? []))
        } else {
            self.directory = nil
            self.catalog = Mutex(DriveCatalog.samples(at: options.now()))
        }
    }

    static func isDrive(_ path: String) -> Bool { path.hasPrefix("/drive/v3/") || path.hasPrefix("/upload/drive/v3/") }

    /// Answers a call that ``ProviderState/driveAuthorization(_:at:)`` looked at.
    func respond(
        to request: EndpointRequest,
        _ authorization: Result<DriveCall, DriveFailure>,
        at now: Date
    ) async -> EndpointResponse {
        switch authorization {
        case .failure(let failure): failure.response
        case .success(let call): await self.queue.run { self.answer(call, request, at: now) }
        }
    }

    private func answer(_ call: DriveCall, _ request: EndpointRequest, at now: Date) -> EndpointResponse {
        do throws(DriveFailure) {
            switch call.operation {
            case .about: return try self.about(call)
            case .list: return try self.list(call)
            case .metadata(let id): return try self.metadata(call, id: id)
            case .download(let id): return try self.download(call, id: id, range: request.headers[.range])
            case .create, .upload: return try self.create(call, request, at: now)
            }
        } catch {
            return error.response
        }
    }

    /// The files as they are now.
    func currentCatalog() throws(DriveFailure) -> DriveCatalog {
        guard let directory else { return self.catalog.withLock { $0 } }
        let items = try directory.items()
        return self.catalog.withLock { catalog in
            catalog.update(from: items)
            return catalog
        }
    }

    /// Adds a new file and keeps what the directory cannot.
    func add(_ file: DriveFile) throws(DriveFailure) {
        let index = self.catalog.withLock { catalog in
            catalog.add(file)
            return catalog.index
        }
        try self.directory?.saveIndex(index)
    }

    /// A file that the caller may see.
    func visibleFile(_ call: DriveCall, id: String) throws(DriveFailure) -> DriveFile {
        guard let file = try self.currentCatalog().file(id), call.access.sees(file) else { throw .notFound(id) }
        return file
    }

    /// The MD5 of a file, from memory where it is known.
    func checksum(of file: DriveFile) -> String? {
        guard case .disk = file.content else { return DriveChecksum.md5(file.content, in: nil) }
        let key = "\(file.modifiedTime.timeIntervalSince1970) \(file.size ?? 0) \(file.id)"
        if let known = self.checksums.withLock({ $0[key] }) { return known }
        guard let made = DriveChecksum.md5(file.content, in: self.directory) else { return nil }
        self.checksums.withLock { $0[key] = made }
        return made
    }
}
#endif
