// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraSupport

/// A subset of the Drive v3 API, with files, permissions, changes, about and all kinds of uploads.
final class DriveService: Sendable {
    let directory: DriveDirectory?
    /// The serial executor for calls that block while they access the directory.
    let executor = BlockingExecutor()
    let uploads = Mutex(ExpiringTable<DriveUpload>(limit: 1000))
    /// The number of simulated changes to each file's content, which test faults use.
    let pretendedChanges = Mutex<[String: Int]>([:])
    /// Returns random bytes for identifiers.
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    private let catalog: Mutex<DriveCatalog>
    private let checksums = Mutex<[String: String]>([:])

    init(options: LocalProviderOptions) throws {
        self.randomBytes = options.randomBytes
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

    static func isDrive(_ path: String) -> Bool {
        ["/drive/v3/", "/upload/drive/v3/", "/resumable/upload/drive/v3/"].contains(where: path.hasPrefix)
    }

    /// Returns the catalog, updated to match the directory.
    func currentCatalog() throws(APIFailure) -> DriveCatalog {
        guard let directory else { return self.catalog.withLock { $0 } }
        let items = try directory.items()
        return self.catalog.withLock { catalog in
            catalog.update(from: items)
            return catalog
        }
    }

    /// Changes the catalog and saves the metadata that cannot be stored in the directory.
    func change(_ body: @Sendable (inout DriveCatalog) -> Void) throws(APIFailure) {
        let index = self.catalog.withLock { catalog in
            body(&catalog)
            return catalog.index
        }
        try self.directory?.saveIndex(index)
    }

    /// Returns a file that is visible to the caller.
    ///
    /// This is the file in the path unless `id` is given.
    func visibleFile(_ call: APICall, id: String? = nil) throws(APIFailure) -> DriveFile {
        let id = id ?? call.id
        if id == DriveFile.rootID { return Self.root }
        guard let file = try self.currentCatalog().file(id), call.sees(file) else { throw .notFound(id) }
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

    /// Returns the hexadecimal MD5 digest of a file, or `nil` if it has no content or cannot be read.
    ///
    /// Digests are cached.
    func checksum(of file: DriveFile) -> String? {
        switch file.content {
        case .none: return nil
        case .memory(let bytes): return Insecure.MD5.hash(data: bytes).hexadecimal
        case .disk(let name, _):
            let key = "\((file.contentTime ?? file.modifiedTime).timeIntervalSince1970) \(file.size ?? 0) \(file.id)"
            if let known = self.checksums.withLock({ $0[key] }) { return known }
            var digest = Insecure.MD5()
            guard let opened = self.directory?.open(name) else { return nil }
            opened.forEachChunk { chunk, _ in digest.update(data: chunk) }
            let checksum = digest.finalize().hexadecimal
            self.checksums.withLock { $0[key] = checksum }
            return checksum
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal, with two lowercase digits per byte.
    var hexadecimal: String { self.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

/// The access granted by a call's scopes.
extension APICall {
    /// Whether all files of the account are visible.
    var seesEverything: Bool { !self.scopes.isDisjoint(with: ScopeCatalog.wholeDrive) }
    /// Whether files created by the client are visible.
    var seesOwnFiles: Bool { self.scopes.contains(ScopeCatalog.driveFile) }
    /// Whether the client's application data folder is visible.
    var seesApplicationData: Bool { self.scopes.contains(ScopeCatalog.driveApplicationData) }

    func sees(_ file: DriveFile) -> Bool {
        if file.isApplicationData {
            return self.seesApplicationData && file.creatorID == self.clientID && file.isOwned(by: self.account)
        }
        return (self.seesEverything || self.seesOwnFiles && file.creatorID == self.clientID)
            && file.role(of: self.account) != nil
    }

    /// Returns whether a file appears in lists.
    ///
    /// A file that is shared only by link does not.
    func lists(_ file: DriveFile) -> Bool {
        self.sees(file) && (file.isOwned(by: self.account) || file.isShared(with: self.account))
    }

    /// Throws an error if the caller's role for a file is lower than `role`.
    func require(_ role: DriveRole, _ file: DriveFile) throws(APIFailure) {
        guard let own = file.role(of: self.account), own >= role, file.id != DriveFile.rootID else {
            let message = "The user does not have sufficient permissions for this file."
            throw .forbidden("insufficientFilePermissions", message)
        }
    }

    /// Throws an error if the client's application data folder is not visible.
    func requireApplicationData() throws(APIFailure) {
        guard self.seesApplicationData else {
            let message = "The granted scopes do not give access to all of the requested spaces."
            throw .forbidden("insufficientScopes", message)
        }
    }
}
#endif
