// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes

extension DriveService {
    /// `files.delete`: a file, or a folder with everything in it, without the trash.
    func delete(_ call: DriveCall, id: String, at now: Date) throws(APIFailure) -> EndpointResponse {
        let file = try self.visibleFile(call, id: id)
        try call.access.require(.owner, file)
        try self.remove([file], call, at: now)
        return EndpointResponse(.noContent)
    }

    /// `files.emptyTrash`.
    func emptyTrash(_ call: DriveCall, at now: Date) throws(APIFailure) -> EndpointResponse {
        let trashed = try self.currentCatalog().files
            .filter {
                $0.isInTrash && call.access.sees($0) && $0.isOwned(by: call.access.account)
            }
        try self.remove(trashed, call, at: now)
        return EndpointResponse(.noContent)
    }

    /// Removes files, and what the account owns in them.
    private func remove(_ files: [DriveFile], _ call: DriveCall, at now: Date) throws(APIFailure) {
        let catalog = try self.currentCatalog()
        let inside = files.flatMap { catalog.descendants(of: $0.id) }.filter { $0.isOwned(by: call.access.account) }
        let all = inside + files
        for case .disk(let name, _) in all.map(\.content) {
            guard self.directory?.remove(name) ?? false else { throw DriveDirectory.failure }
        }
        let ids = all.map(\.id)
        try self.change { catalog in
            for id in ids { catalog.remove(id, at: now) }
        }
    }
}
#endif
