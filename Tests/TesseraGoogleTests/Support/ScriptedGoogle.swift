// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Logging
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting

/// Google's credential servers, and the machine on which the credentials are used.
final class ScriptedGoogle: Sendable {
    typealias Handler = @Sendable (RecordedRequest) throws -> ScriptedResponse

    let clock = TestClock()
    let directory: String
    private let handlers = Mutex<[(prefix: String, handler: Handler)]>([])
    private let issued = Mutex(0)
    private let recorded = Mutex<[RecordedRequest]>([])

    static let key = Result { try JWSSigningKey.generate(.rs256) }
    static let email = "robot@project.iam.gserviceaccount.com"
    static let audience = "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/p"
    static let workforce = "//iam.googleapis.com/locations/global/workforcePools/pool/providers/p"

    init() throws {
        self.directory = FileManager.default.temporaryDirectory.path + "/tessera-credentials-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: true)
        self.answer("https://oauth2.googleapis.com/token") { _ in self.token() }
        self.answer("https://sts.googleapis.com/v1/token") { _ in self.token() }
        self.answer("https://iamcredentials.googleapis.com/") { request in try self.iam(request) }
        self.answer("http://metadata.google.internal/") { request in self.metadata(request) }
        self.answer("http://169.254.169.254") { request in self.metadata(request) }
    }

    deinit { try? FileManager.default.removeItem(atPath: self.directory) }

    /// Answers requests to URLs with a prefix.
    ///
    /// Later handlers come first.
    func answer(_ prefix: String, _ handler: @escaping Handler) {
        self.handlers.withLock { $0.insert((prefix, handler), at: 0) }
    }

    var requests: [RecordedRequest] { self.recorded.withLock { $0 } }
    var urls: [String] { self.requests.map(\.url) }

    /// The runtime, whose clock advances during retries.
    var runtime: OAuthRuntime {
        let transport = ScriptedTransport { request in
            self.recorded.withLock { $0.append(request) }
            let handlers = self.handlers.withLock { $0 }
            guard let handler = handlers.first(where: { request.url.hasPrefix($0.prefix) })?.handler else {
                throw TransportError(.cannotConnect, host: request.head.authority)
            }
            return try handler(request)
        }
        var runtime = OAuthRuntime.testing(transport: transport, clock: self.clock)
        runtime.clock = SelfAdvancingClock(moving: self.clock)
        return runtime
    }

    func options(_ variables: [String: String] = [:]) -> GoogleCredentialsOptions {
        GoogleCredentialsOptions(
            environment: GoogleEnvironment(variables: variables, homeDirectory: self.directory)
        )
    }

    // MARK: Responses

    func token(lifetime: Int = 3_600) -> ScriptedResponse {
        let number = self.issued.withLock { number in
            number += 1
            return number
        }
        return .json(
            #"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":\#(lifetime),"#
                + #""issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}"#
        )
    }

    private func iam(_ request: RecordedRequest) throws -> ScriptedResponse {
        switch request.path.split(separator: ":").last {
        case "generateAccessToken":
            let number = self.issued.withLock { number in
                number += 1
                return number
            }
            let end = self.clock.date.addingTimeInterval(3_600).utcText
            return .json(#"{"accessToken":"token-\#(number)","expireTime":"\#(end)"}"#)
        case "generateIdToken": return .json(#"{"token":"\#(try self.idToken())"}"#)
        case "signBlob": return .json(#"{"keyId":"key","signedBlob":"c2lnbmVk"}"#)
        case "signJwt": return .json(#"{"keyId":"key","signedJwt":"signed.jwt.value"}"#)
        default: return .status(.notFound)
        }
    }

    private func metadata(_ request: RecordedRequest) -> ScriptedResponse {
        guard request.head.headerFields[Self.flavor] == "Google" else { return .status(.forbidden) }
        let path = request.path
        var response: ScriptedResponse
        if path.hasSuffix("/token") {
            response = self.token()
        } else if path.hasSuffix("/identity") {
            response = .json((try? self.idToken()) ?? "")
        } else if path.contains("/service-accounts/") {
            response = .json(#"{"email":"\#(Self.email)","scopes":["https://www.googleapis.com/auth/cloud-platform"]}"#)
        } else if path.hasSuffix("/project-id") {
            response = .json("machine-project")
        } else if path.hasSuffix("/universe-domain") {
            response = .json("googleapis.com")
        } else {
            response = .json("computeMetadata/")
        }
        response.head.headerFields[Self.flavor] = "Google"
        return response
    }

    static let flavor = HTTPField.Name(known: "Metadata-Flavor")

    func idToken(lifetime: Double = 3_600) throws -> String {
        let end = Int64(self.clock.date.timeIntervalSince1970 + lifetime)
        return try Self.key.get().sign(payload: Array(#"{"exp":\#(end)}"#.utf8))
    }

    // MARK: Files

    /// Writes a file that only this user can read.
    @discardableResult
    func write(_ text: String, _ name: String = "credentials.json", mode: Int = 0o600) throws -> String {
        let path = self.directory + "/" + name
        let parent = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    static func serviceAccount(_ changes: [String: JSONNode?] = [:]) throws -> String {
        try Self.file(
            [
                "type": "service_account", "project_id": "project", "private_key_id": "key-1",
                "private_key": .string(Self.key.get().pemRepresentation), "client_email": .string(Self.email),
                "token_uri": "https://oauth2.googleapis.com/token",
            ],
            changes
        )
    }

    static func authorizedUser(_ changes: [String: JSONNode?] = [:]) throws -> String {
        try Self.file(
            [
                "type": "authorized_user", "client_id": "client", "client_secret": "client-secret",
                "refresh_token": "refresh-token",
            ],
            changes
        )
    }

    static func externalAccount(_ source: JSONNode, _ changes: [String: JSONNode?] = [:]) throws -> String {
        try Self.file(
            [
                "type": "external_account", "audience": .string(Self.audience),
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                "token_url": "https://sts.googleapis.com/v1/token", "credential_source": source,
            ],
            changes
        )
    }

    private static func file(_ members: [String: JSONNode], _ changes: [String: JSONNode?]) throws -> String {
        var members = members
        for (name, value) in changes { members[name] = value }
        return JSONNode.object(members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) })
            .text()
    }

    /// Returns the credentials in a file with this text.
    func load(
        _ text: String,
        expecting types: Set<GoogleCredentialFileType> = GoogleCredentialFileType.all,
        scopes: [Scope] = ["scope-a", "scope-b"],
        options: GoogleCredentialsOptions? = nil
    ) throws -> GoogleCredentials {
        try .load(
            parsing: Array(text.utf8),
            expecting: types,
            scopes: scopes,
            options: options ?? self.options(),
            runtime: self.runtime
        )
    }
}

extension Date {
    /// The time in UTC, such as `2026-11-28T10:00:00Z`.
    var utcText: String {
        let seconds = Int64(self.timeIntervalSince1970)
        let day = CalendarDay(daysSince1970: seconds / 86_400)
        let rest = Int(seconds % 86_400)
        let texts = [day.month, day.day, rest / 3_600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(day.year)-\(texts[0])-\(texts[1])T\(texts[2]):\(texts[3]):\(texts[4])Z"
    }
}

extension AccessToken {
    var text: String { self.secret.withUnredacted { $0 } }
}

extension RecordedRequest {
    /// The claims of a JWT in a form parameter, whose signature is not verified.
    func claims(of name: String) throws -> JSONValue {
        try JSONValue(jwt: self.formValue(name) ?? "")
    }

    var json: JSONValue? { try? JSONValue(parsing: self.body) }
    var authorization: String? { self.head.headerFields[.authorization] }
}

extension JSONValue {
    /// Reads the claims, or another part, of a JWT whose signature is not verified.
    init(jwt text: String, part: Int = 1) throws {
        let parts = text.split(separator: ".")
        try self.init(parsing: parts.count == 3 ? Base64URL.decode(String(parts[part])) ?? [] : [])
    }
}
