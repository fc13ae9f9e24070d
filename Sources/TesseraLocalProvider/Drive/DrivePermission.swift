// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraJSON

/// A permission to use a file.
struct DrivePermission: Sendable, Hashable {
    enum Kind: String, Sendable {
        case user, group, domain, anyone
    }

    var id: String
    var type: Kind
    var role: DriveRole
    var email: String?
    var domain: String?
    var allowsDiscovery = false

    init(type: Kind, email: String?, domain: String?, accounts: [LocalProviderAccount], role: DriveRole) {
        let known = accounts.first { $0.email.lowercased() == email?.lowercased() }
        self.id =
            switch type {
            case .user: known?.subject ?? Self.number(email ?? "")
            case .group: Self.number(email ?? "")
            case .domain: Self.number(domain ?? "") + "k"
            case .anyone: "anyoneWithLink"
            }
        self.type = type
        self.role = role
        self.email = email
        self.domain = domain
    }

    init(user email: String, accounts: [LocalProviderAccount], role: DriveRole) {
        self.init(type: .user, email: email, domain: nil, accounts: accounts, role: role)
    }

    /// Returns whether the permission applies to an account, based on its email address or organization.
    func names(_ account: LocalProviderAccount) -> Bool {
        switch self.type {
        case .user: self.email?.lowercased() == account.email.lowercased()
        case .domain: self.domain != nil && self.domain?.lowercased() == account.hostedDomain?.lowercased()
        case .group, .anyone: false
        }
    }

    func node(_ access: APICall) -> JSONNode {
        let account = access.accounts.first { $0.email.lowercased() == self.email?.lowercased() }
        let name = self.email.map { account?.name ?? $0 } ?? self.domain
        let isOpen = self.type == .domain || self.type == .anyone
        return .members([
            "kind": "drive#permission", "id": self.id, "type": self.type.rawValue, "role": self.role.rawValue,
            "emailAddress": self.email, "domain": self.domain, "displayName": name,
            "deleted": self.email.map { _ in false }, "pendingOwner": self.email.map { _ in false },
            "allowFileDiscovery": isOpen ? self.allowsDiscovery : nil,
        ])
    }

    /// Returns 20 digits derived from a text, in the format that Google uses for permission IDs.
    private static func number(_ text: String) -> String {
        let digest = SHA256.hash(data: Array(text.lowercased().utf8)).prefix(8)
        let number = String(digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        return String(repeating: "0", count: 20 - number.count) + number
    }
}

/// A user's role for a file.
///
/// Each role includes all preceding ones.
enum DriveRole: String, Sendable, Hashable, Comparable, CaseIterable {
    case reader, commenter, writer, fileOrganizer, organizer, owner

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A permission in a request body.
struct PermissionMetadata: Sendable {
    var type: DrivePermission.Kind?
    var role: DriveRole?
    var email: String?
    var domain: String?
    var allowsDiscovery = false

    init(_ request: ProviderRequest) throws(APIFailure) {
        guard request.contentType == "application/json", let value = try? JSONValue(parsing: request.body),
            value.kind == .object
        else { throw .parseError("The permission is not a JSON object.") }
        self.role = value["role"]?.string.flatMap(DriveRole.init)
        if value["role"]?.string != nil, self.role.map({ [.organizer, .fileOrganizer].contains($0) }) ?? true {
            throw .invalid("permission.role", "The specified role is invalid or not supported.")
        }
        self.type = value["type"]?.string.flatMap(DrivePermission.Kind.init)
        if value["type"]?.string != nil, self.type == nil { throw .invalid("permission.type") }
        self.email = value["emailAddress"]?.string
        self.domain = value["domain"]?.string
        self.allowsDiscovery = value["allowFileDiscovery"]?.bool ?? false
    }

    func requiredRole() throws(APIFailure) -> DriveRole {
        guard let role else { throw .required("permission.role", "The permission role field is required.") }
        return role
    }

    /// Returns a new permission.
    ///
    /// - Throws: ``APIFailure`` if a required member is missing or not valid.
    func permission(_ access: APICall) throws(APIFailure) -> DrivePermission {
        let role = try self.requiredRole()
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
            throw .invalid("permission.role", "Only a user can own a file.")
        }
        var permission = DrivePermission(
            type: type,
            email: needsEmail ? self.email : nil,
            domain: type == .domain ? self.domain : nil,
            accounts: access.accounts,
            role: role
        )
        permission.allowsDiscovery = self.allowsDiscovery
        return permission
    }
}
#endif
