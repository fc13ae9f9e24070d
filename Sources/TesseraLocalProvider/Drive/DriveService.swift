// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraSupport

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

extension DriveService {
    /// Carries a call out; it blocks.
    func answer(_ call: DriveCall, _ request: EndpointRequest, at now: Date) -> EndpointResponse {
        do throws(APIFailure) {
            switch call.operation {
            case .about: return try self.about(call)
            case .startPageToken: return try self.startPageToken(call)
            case .changes: return try self.changes(call)
            case .list: return try self.list(call)
            case .generateIDs: return try self.generateIDs(call)
            case .emptyTrash: return try self.emptyTrash(call, at: now)
            case .metadata(let id): return try self.metadata(call, id: id)
            case .download(let id): return try self.download(call, request, id: id)
            case .export(let id): return try self.export(call, id: id)
            case .delete(let id): return try self.delete(call, id: id, at: now)
            case .create: return try self.create(call, request, at: now)
            case .update(let id): return try self.update(call, request, id: id, at: now)
            case .copy(let id): return try self.copy(call, request, id: id, at: now)
            case .upload(let id): return try self.upload(call, request, fileID: id, at: now)
            case .resumableUpload(let id): return try self.begin(call, request, fileID: id)
            default: return try self.answerAboutPermissions(call, request)
            }
        } catch {
            return error.response
        }
    }

    private func answerAboutPermissions(
        _ call: DriveCall,
        _ request: EndpointRequest
    ) throws(APIFailure) -> EndpointResponse {
        switch call.operation {
        case .permissions(let id): try self.permissions(call, of: id)
        case .permission(let id, let permissionID): try self.permission(call, permissionID, of: id)
        case .createPermission(let id): try self.createPermission(call, request, of: id)
        case .updatePermission(let id, let permissionID):
            try self.updatePermission(call, request, permissionID, of: id)
        case .deletePermission(let id, let permissionID): try self.deletePermission(call, permissionID, of: id)
        default: throw .badRequest("This is no permission.")
        }
    }
}

/// A call that was found to be allowed.
struct DriveCall: Sendable {
    var operation: DriveOperation
    var parameters: FormParameters
    var access: DriveAccess
    /// Where the provider is reached, for addresses in answers.
    var baseURL: String
}

/// What a call may do: who calls for whom, and what it may see.
struct DriveAccess: Sendable {
    var clientID: String
    var account: LocalProviderAccount
    /// Everybody who has a Drive here.
    var accounts: [LocalProviderAccount]
    /// Whether every file of the account is visible.
    var seesEverything: Bool
    /// Whether the files are visible that the client created.
    var seesOwnFiles: Bool
    /// Whether the folder of the client's own data is visible.
    var seesApplicationData: Bool
    var pictureURL: String

    func sees(_ file: DriveFile) -> Bool {
        if file.isApplicationData {
            return self.seesApplicationData && file.creatorID == self.clientID && file.isOwned(by: self.account)
        }
        return (self.seesEverything || self.seesOwnFiles && file.creatorID == self.clientID)
            && file.role(of: self.account) != nil
    }

    /// Whether a list shows a file: one for everybody who has the link is in nobody's list.
    func lists(_ file: DriveFile) -> Bool {
        self.sees(file) && (file.isOwned(by: self.account) || file.isShared(with: self.account))
    }

    /// Throws when the caller's role at a file is less than `role`.
    func require(_ role: DriveRole, _ file: DriveFile) throws(APIFailure) {
        guard let own = file.role(of: self.account), own >= role, file.id != DriveFile.rootID else {
            throw .forbidden(
                "insufficientFilePermissions",
                "The user does not have sufficient permissions for this file."
            )
        }
    }
}

extension ProviderState {
    /// Reads a call and checks its token: the call, or why it is refused.
    func driveAuthorization(_ request: EndpointRequest, at now: Int64) -> Result<DriveCall, APIFailure> {
        do throws(APIFailure) {
            guard let parameters = try? FormParameters(decoding: request.query) else {
                throw .badRequest("The query is not well-formed.")
            }
            let operation = try DriveOperation(request, parameters)
            let (token, account) = try self.apiToken(
                request,
                anyOf: operation.scopes,
                service: "drive.googleapis.com",
                at: now
            )
            let scopes = Set(operation.scopes).intersection(token.scopes)
            let access = DriveAccess(
                clientID: token.clientID,
                account: account,
                accounts: self.options.accounts,
                seesEverything: !scopes.isDisjoint(with: ScopeCatalog.wholeDrive),
                seesOwnFiles: scopes.contains(ScopeCatalog.driveFile),
                seesApplicationData: scopes.contains(ScopeCatalog.driveApplicationData),
                pictureURL: self.pictureURL(of: account)
            )
            return .success(
                DriveCall(operation: operation, parameters: parameters, access: access, baseURL: self.baseURL)
            )
        } catch {
            return .failure(error)
        }
    }

    /// What goes wrong with the next request to the Drive; a request uses it up.
    mutating func nextDriveFault() -> LocalProviderOptions.DriveFault {
        self.behaviour.driveFaults.isEmpty ? .none : self.behaviour.driveFaults.removeFirst()
    }
}
#endif
