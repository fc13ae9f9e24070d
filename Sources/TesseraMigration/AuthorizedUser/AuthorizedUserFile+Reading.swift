// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension AuthorizedUserFile {
    /// Longer than any such file is.
    static let maximumLength = 1 << 16

    /// Reads the file's bytes, strictly: two members of one name, another type than the tools write, an empty identifier
    /// are errors.
    ///
    /// - Throws: ``MigrationError`` `unknownFormat` for what is no JSON object, `notAGrant` for another kind of Google's
    ///   credentials, `damaged` for anything else; it names a member and never its value.
    public init(parsing bytes: [UInt8]) throws(MigrationError) {
        guard bytes.count <= Self.maximumLength else {
            throw MigrationError(.unknownFormat, detail: "more than \(Self.maximumLength) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(maximumDepth: 16, maximumBytes: Self.maximumLength)
            )
        } catch let error where error.code == .duplicateMember {
            throw MigrationError(.damaged, detail: error.description)
        } catch {
            throw MigrationError(.unknownFormat, detail: error.description)
        }
        try self.init(value)
    }

    init(_ value: JSONValue) throws(MigrationError) {
        do {
            let fields = try JSONFields(
                value,
                rule: .authorizedUserFile,
                section: "google-auth's format of credentials",
                subject: "the file"
            )
            self.init(
                try Self.format(fields),
                clientID: try fields.requiredString("client_id"),
                clientSecret: try fields.filled("client_secret").map { Secret($0) },
                refreshToken: try fields.filled("refresh_token").map { Secret($0) },
                scopes: try Self.scopes(fields)
            )
            self.accessToken = try fields.filled("token").map { Secret($0) }
            self.expiry = try Self.expiry(fields)
            self.tokenURI = try fields.filled("token_uri")
            self.quotaProjectID = try fields.filled("quota_project_id")
            self.universeDomain = try fields.filled("universe_domain")
            self.account = try fields.filled("account")
            self.raptToken = try fields.filled("rapt_token").map { Secret($0) }
            self.document =
                fields.object.members.map { $0.map { JSONMember(name: $0.name, value: .parsed($0.value)) } } ?? []
        } catch let error as MigrationError {
            throw error
        } catch let error as ProtocolViolationError {
            throw MigrationError(.damaged, detail: "expected \(error.expected)")
        } catch {
            throw MigrationError(.damaged)
        }
    }

    private static func format(_ fields: JSONFields) throws -> Format {
        guard let type = try fields.string("type") else { return .token }
        guard type == Format.authorizedUser.rawValue else {
            throw MigrationError(.notAGrant, detail: "its type is \(UntrustedText.printable(type, limit: 40))")
        }
        return .authorizedUser
    }

    /// A list, or one text with spaces: google-auth reads both.
    private static func scopes(_ fields: JSONFields) throws -> [Scope]? {
        guard let value = fields.present("scopes") else { return nil }
        if let text = value.string { return ScopeList.scopes(text) }
        return try fields.strings("scopes")?.map { Scope($0) }
    }

    /// `2026-05-01T12:00:00.123456Z`; parts of a second are left out, as google-auth leaves them out.
    private static func expiry(_ fields: JSONFields) throws -> Date? {
        guard let text = try fields.filled("expiry") else { return nil }
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        let rest = text[whole.endIndex...]
        guard rest.allSatisfy({ $0 == "." || $0 == "Z" || ("0"..."9").contains($0) }),
            let date = try? Date("\(whole)Z", strategy: .iso8601),
            // Foundation reads `20260-5-01`, too.
            date.formatted(.iso8601) == "\(whole)Z"
        else {
            throw fields.violation("expiry to be a time such as 2026-05-01T12:00:00Z", nil)
        }
        return date
    }
}

extension JSONFields {
    /// A text that is there and not empty; gcloud writes empty ones for what it does not know.
    fileprivate func filled(_ name: String) throws(ProtocolViolationError) -> String? {
        let text = try self.string(name)
        return text?.isEmpty == false ? text : nil
    }
}

extension ProtocolViolationError.Rule {
    fileprivate static let authorizedUserFile = Self(rawValue: "migration.authorizedUserFile")
}
