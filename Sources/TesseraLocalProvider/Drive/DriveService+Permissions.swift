// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraOAuth
internal import HTTPTypes
internal import TesseraJSON

extension DriveService {
    func permissions(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let file = try self.visibleFile(call)
        let page = try call.page(file.allPermissions(call), size: ("pageSize", 100), file.id)
        return call.response(
            .members([
                "kind": "drive#permissionList", "nextPageToken": page.next,
                "permissions": page.items.map { $0.node(call) },
            ])
        )
    }

    func permission(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        call.response(try Self.permission(of: try self.visibleFile(call), call).node(call))
    }

    /// Handles `permissions.create`.
    ///
    /// An existing permission for the same user is replaced.
    func createPermission(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        var file = try self.sharedFile(call)
        let permission = try PermissionMetadata(call.request).permission(call)
        if permission.role == .owner { return try self.transfer(file, to: permission, call) }
        guard permission.id != file.allPermissions(call).first?.id else {
            throw .invalid("permission.role", "The role of a file's owner cannot be changed.")
        }
        file.permissions.removeAll { $0.id == permission.id }
        file.permissions.append(permission)
        return try self.save(file, permission, call)
    }

    func updatePermission(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        var file = try self.sharedFile(call)
        var permission = try Self.permission(of: file, call)
        let role = try PermissionMetadata(call.request).requiredRole()
        guard let index = file.permissions.firstIndex(where: { $0.id == permission.id }) else { throw Self.staying }
        permission.role = role
        if role == .owner { return try self.transfer(file, to: permission, call) }
        file.permissions[index] = permission
        return try self.save(file, permission, call)
    }

    func deletePermission(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        var file = try self.visibleFile(call)
        let permission = try Self.permission(of: file, call)
        // A user can always remove their own permission.
        if !permission.names(call.account) { file = try self.sharedFile(call) }
        guard file.permissions.contains(permission) else { throw Self.staying }
        file.permissions.removeAll { $0.id == permission.id }
        let changed = file
        try self.change { $0.replace(changed) }
        return ProviderResponse(.noContent)
    }

    private func save(
        _ file: DriveFile,
        _ permission: DrivePermission,
        _ call: APICall
    ) throws(APIFailure) -> ProviderResponse {
        try self.change { $0.replace(file) }
        return call.response(permission.node(call))
    }

    private func sharedFile(_ call: APICall) throws(APIFailure) -> DriveFile {
        let file = try self.visibleFile(call)
        try call.require(file.writersCanShare ? .writer : .owner, file)
        return file
    }

    /// Transfers a file to a new owner.
    ///
    /// The previous owner retains write access.
    private func transfer(
        _ file: DriveFile,
        to permission: DrivePermission,
        _ call: APICall
    ) throws(APIFailure) -> ProviderResponse {
        guard try call.parameters.flag("transferOwnership") else {
            let message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
            throw .forbidden("forbidden", message)
        }
        try call.require(.owner, file)
        guard permission.type == .user,
            let owner = call.accounts.first(where: { $0.email.lowercased() == permission.email?.lowercased() })
        else {
            throw .invalid("permission.emailAddress", "The new owner of a file must have an account at this provider.")
        }
        var changed = file
        changed.ownerID = owner.subject
        changed.permissions.removeAll { $0.id == permission.id }
        if owner.subject != call.account.subject {
            let email = call.account.email
            changed.permissions.append(DrivePermission(user: email, accounts: call.accounts, role: .writer))
        }
        return try self.save(changed, permission, call)
    }

    private static func permission(of file: DriveFile, _ call: APICall) throws(APIFailure) -> DrivePermission {
        let id = call.request.parameter("permission")
        guard let permission = file.allPermissions(call).first(where: { $0.id == id }) else {
            let message = "Permission not found: \(id.prefix(200))."
            throw APIFailure(.notFound, "notFound", message, location: ("parameter", "permissionId"))
        }
        return permission
    }

    private static let staying = APIFailure.forbidden(
        "insufficientFilePermissions",
        "The permission of the owner must be transferred, and an inherited one must be changed in its folder."
    )
}
#endif
