// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// What a client says about a permission.
struct PermissionMetadata: Sendable {
    var type: DrivePermission.Kind?
    var role: DriveRole?
    var email: String?
    var domain: String?
    var allowsDiscovery: Bool?

    init(_ request: EndpointRequest) throws(APIFailure) {
        guard request.contentType == "application/json", let value = try? JSONValue(parsing: request.body),
            value.kind == .object
        else {
            throw APIFailure(
                status: .badRequest,
                statusName: "INVALID_ARGUMENT",
                reason: "parseError",
                message: "The permission is not a JSON object."
            )
        }
        if let text = value["role"]?.string {
            guard let role = DriveRole(rawValue: text), ![.organizer, .fileOrganizer].contains(role) else {
                throw .invalid("permission.role", "The specified role is invalid or not supported.")
            }
            self.role = role
        }
        if let text = value["type"]?.string {
            guard let type = DrivePermission.Kind(rawValue: text) else { throw .invalid("permission.type") }
            self.type = type
        }
        self.email = value["emailAddress"]?.string
        self.domain = value["domain"]?.string
        self.allowsDiscovery = value["allowFileDiscovery"]?.bool
    }

    /// A new permission; throws when something that it needs is missing.
    func permission(_ access: DriveAccess) throws(APIFailure) -> DrivePermission {
        guard let role else { throw .required("permission.role", "The permission role field is required.") }
        guard let type else { throw .required("permission.type", "The permission type field is required.") }
        let needsEmail = type == .user || type == .group
        if needsEmail {
            guard let email, email.utf8.count <= 320, email.split(separator: "@").count == 2 else {
                throw .invalid("permission.emailAddress", "The specified emailAddress is invalid or not applicable.")
            }
        }
        if type == .domain, domain == nil {
            throw .invalid("permission.domain", "The specified domain is invalid or not applicable.")
        }
        if type == .anyone, role > .writer {
            throw .invalid("permission.role", "Nobody in particular cannot own a file.")
        }
        var permission = DrivePermission(
            type: type,
            email: needsEmail ? self.email : nil,
            domain: type == .domain ? self.domain : nil,
            accounts: access.accounts,
            role: role
        )
        permission.allowsDiscovery = self.allowsDiscovery ?? false
        return permission
    }
}
#endif
