// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJSON

/// The small Drive v3: the methods of files, permissions, changes and about, and every kind of upload.
final class DriveService: Sendable {
    let directory: DriveDirectory?
    let queue = BlockingQueue()
    let uploads: DriveUploads
    /// How often each file acted as if its content had changed: a test switch.
    let pretendedChanges = Mutex<[String: Int]>([:])
    /// Random bytes for identifiers.
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    private let catalog: Mutex<DriveCatalog>
    private let checksums = Mutex<[String: String]>([:])

    init(options: LocalProviderOptions) throws {
        self.randomBytes = options.randomBytes
        self.uploads = DriveUploads(randomBytes: options.randomBytes)
        if let path = options.dataDirectory {
            let directory = try DriveDirectory(path: path)
            try? directory.removeTemporaries()
            let index = directory.open(DriveDirectory.indexName).map { $0.read(16 << 20, at: 0) }
            self.directory = directory
            self.catalog = Mutex(DriveCatalog(index: index ?? []))
        } else {
            self.directory = nil
            self.catalog = Mutex(DriveCatalog.samples(at: options.now()))
        }
    }

    static func isDrive(_ path: String) -> Bool { path.hasPrefix("/drive/v3/") || self.isUpload(path) }

    static func isUpload(_ path: String) -> Bool {
        path.hasPrefix("/upload/drive/v3/") || path.hasPrefix("/resumable/upload/drive/v3/")
    }

    /// Answers a call that ``ProviderState/driveAuthorization(_:at:)`` looked at.
    func respond(
        to request: EndpointRequest,
        _ authorization: Result<DriveCall, APIFailure>,
        _ fault: LocalProviderOptions.DriveFault = .none,
        at now: Date
    ) async -> EndpointResponse {
        if let response = Self.response(to: fault) { return response }
        var request = request
        if fault == .ignoredRange { request.headers[.range] = nil }
        var response: EndpointResponse
        switch (authorization, fault) {
        case (_, .broken):
            response = EndpointResponse(.internalServerError)
            response.isLost = true
        case (.failure(let failure), _):
            response = failure.response
        case (.success(let call), _):
            let asked = request
            if fault == .changedFile, case .download(let id) = call.operation {
                self.pretendedChanges.withLock { $0[id, default: 0] += 1 }
            }
            response = await self.queue.run { self.answer(call, asked, at: now) }
        }
        if fault == .lostAnswer { response.isLost = true }
        if case .cutAnswer(let count) = fault { response.cutLength = count }
        return response
    }

    /// The files as they are now.
    func currentCatalog() throws(APIFailure) -> DriveCatalog {
        guard let directory else { return self.catalog.withLock { $0 } }
        let items = try directory.items()
        return self.catalog.withLock { catalog in
            catalog.update(from: items)
            return catalog
        }
    }

    /// Changes the catalog and keeps what the directory cannot.
    func change(_ body: @Sendable (inout DriveCatalog) -> Void) throws(APIFailure) {
        let index = self.catalog.withLock { catalog in
            body(&catalog)
            return catalog.index
        }
        try self.directory?.saveIndex(index)
    }

    /// A file that the caller may see.
    func visibleFile(_ call: DriveCall, id: String) throws(APIFailure) -> DriveFile {
        try self.visibleFile(call, id: id, in: try self.currentCatalog())
    }

    func visibleFile(_ call: DriveCall, id: String, in catalog: DriveCatalog) throws(APIFailure) -> DriveFile {
        if id == DriveFile.rootID { return Self.root }
        guard let file = catalog.file(id), call.access.sees(file) else { throw .notFound(id) }
        return file
    }

    private static let root = DriveFile(
        id: DriveFile.rootID,
        name: "My Drive",
        mimeType: DriveFile.folderType,
        createdTime: Date(timeIntervalSince1970: 0),
        modifiedTime: Date(timeIntervalSince1970: 0),
        content: .none,
        parents: []
    )

    /// The MD5 of a file, from memory where it is known.
    func checksum(of file: DriveFile) -> String? {
        guard case .disk = file.content else { return DriveChecksum.md5(file.content, in: nil) }
        let key = "\((file.contentTime ?? file.modifiedTime).timeIntervalSince1970) \(file.size ?? 0) \(file.id)"
        if let known = self.checksums.withLock({ $0[key] }) { return known }
        guard let made = DriveChecksum.md5(file.content, in: self.directory) else { return nil }
        self.checksums.withLock { $0[key] = made }
        return made
    }
}
#endif
