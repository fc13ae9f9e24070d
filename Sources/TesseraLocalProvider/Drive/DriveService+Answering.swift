// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
#endif
