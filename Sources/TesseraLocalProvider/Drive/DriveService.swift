// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraSupport

/// The small Drive v3: the methods of files, permissions, changes and about, and every kind of upload.
final class DriveService: Sendable {
    let directory: DriveDirectory?
    /// Where calls block on the directory, one after the other.
    let executor = BlockingExecutor()
    let uploads = Mutex(ExpiringTable<DriveUpload>(limit: 1000))
    /// How often each file acted as if its content had changed: a test switch.
    let pretendedChanges = Mutex<[String: Int]>([:])
    /// Random bytes for identifiers.
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

    /// A file that the caller may see: the one that its address names, unless another is given.
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

    /// The MD5 of a file in hexadecimal, from memory where it is known; nil for what has no bytes, or cannot be read.
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
    /// Two lowercase digits for each byte.
    var hexadecimal: String { self.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

/// What the call may see and do.
extension APICall {
    /// Whether every file of the account is visible.
    var seesEverything: Bool { !self.scopes.isDisjoint(with: ScopeCatalog.wholeDrive) }
    /// Whether the files are visible that the client created.
    var seesOwnFiles: Bool { self.scopes.contains(ScopeCatalog.driveFile) }
    /// Whether the folder of the client's own data is visible.
    var seesApplicationData: Bool { self.scopes.contains(ScopeCatalog.driveApplicationData) }

    func sees(_ file: DriveFile) -> Bool {
        if file.isApplicationData {
            return self.seesApplicationData && file.creatorID == self.clientID && file.isOwned(by: self.account)
        }
        return (self.seesEverything || self.seesOwnFiles && file.creatorID == self.clientID)
            && file.role(of: self.account) != nil
    }

    /// Whether a list shows a file: one that is shared by link alone is in no list.
    func lists(_ file: DriveFile) -> Bool {
        self.sees(file) && (file.isOwned(by: self.account) || file.isShared(with: self.account))
    }

    /// Throws when the caller's role at a file is less than `role`.
    func require(_ role: DriveRole, _ file: DriveFile) throws(APIFailure) {
        guard let own = file.role(of: self.account), own >= role, file.id != DriveFile.rootID else {
            let message = "The user does not have sufficient permissions for this file."
            throw .forbidden("insufficientFilePermissions", message)
        }
    }

    /// Throws unless the folder of the client's own data is visible.
    func requireApplicationData() throws(APIFailure) {
        guard self.seesApplicationData else {
            let message = "The granted scopes do not give access to all of the requested spaces."
            throw .forbidden("insufficientScopes", message)
        }
    }
}
#endif
