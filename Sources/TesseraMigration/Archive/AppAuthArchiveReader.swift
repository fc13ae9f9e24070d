// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Finds the grant in an archive of AppAuth's, GTMAppAuth's or GoogleSignIn's classes, by the keys that these publish.
///
/// What an archive holds beside it, such as used codes and the verifiers that went with them, is not read.
struct AppAuthArchiveReader {
    /// The names under which these libraries, and ours of the same names, have archived their classes.
    private enum ClassNames {
        static let session: Set<String> = ["GTMAppAuthFetcherAuthorization", "GTMAuthSession", "AuthSession"]
        static let authState: Set<String> = ["OIDAuthState"]
        static let user: Set<String> = ["GIDGoogleUser"]
        static let authentication: Set<String> = ["GIDAuthentication"]
        static let profile: Set<String> = ["GIDProfileData"]
        static let authorizationResponse: Set<String> = ["OIDAuthorizationResponse"]
        static let authorizationRequest: Set<String> = ["OIDAuthorizationRequest"]
        static let tokenResponse: Set<String> = ["OIDTokenResponse"]
        static let tokenRequest: Set<String> = ["OIDTokenRequest"]
        static let configuration: Set<String> = ["OIDServiceConfiguration"]
    }

    private let authState: ArchivedObject
    private let email: String?
    private let subject: String?

    init(parsing bytes: [UInt8]) throws(MigrationError) {
        let root = try KeyedArchive(parsing: bytes).rootObject()
        let name = root.plainClassName
        if ClassNames.session.contains(name) {
            self.authState = try Self.required(root, "authState", ClassNames.authState)
            self.email = try root.text("userEmail")
            self.subject = try root.text("userID")
        } else if ClassNames.authState.contains(name) {
            (self.authState, self.email, self.subject) = (root, nil, nil)
        } else if ClassNames.authentication.contains(name) {
            self.authState = try Self.required(root, "authState", ClassNames.authState)
            (self.email, self.subject) = (nil, nil)
        } else if ClassNames.user.contains(name) {
            // Up to GoogleSignIn 6 the state was one object further in.
            let inner = try root.object("authentication", ClassNames.authentication)
            self.authState = try Self.required(inner ?? root, "authState", ClassNames.authState)
            self.email = try root.object("profileData", ClassNames.profile)?.text("email")
            self.subject = nil
        } else {
            let printable = UntrustedText.printable(root.className, limit: 80)
            throw MigrationError(.unknownFormat, detail: "an archive of the class \(printable)")
        }
    }

    func grant() throws(MigrationError) -> ImportedGrant {
        let answers = [
            try self.answer("lastTokenResponse", ClassNames.tokenResponse, ClassNames.tokenRequest),
            try self.answer(
                "lastAuthorizationResponse",
                ClassNames.authorizationResponse,
                ClassNames.authorizationRequest
            ),
        ]
        let configurations = try Self.each(answers.map { $0?.request }) { request throws(MigrationError) in
            try request.object("configuration", ClassNames.configuration)
        }
        let refreshTokens =
            try [self.authState.text("refreshToken")].compactMap { $0 }
            + Self.each([answers[0]?.response]) { response throws(MigrationError) in try response.text("refresh_token")
            }
        guard let refreshToken = refreshTokens.first(where: { !$0.isEmpty }) else {
            throw MigrationError(.noRefreshToken)
        }
        let clientIDs = try self.requested("client_id", answers)
        guard Set(clientIDs).count <= 1 else { throw MigrationError(.damaged, detail: "two clients are named") }
        let idTokens = try Self.each(answers.map { $0?.response }) { response throws(MigrationError) in
            try response.text("id_token")
        }
        return ImportedGrant(
            format: .keyedArchive,
            grant: ExistingGrant(
                refreshToken: Secret(refreshToken),
                idToken: idTokens.first.map { Secret($0) },
                scopes: ScopeList.scopes(try self.authState.text("scope") ?? ""),
                tokenEndpoint: try configurations.first?.url("tokenEndpoint")
            ),
            clientID: clientIDs.first,
            clientSecret: try self.requested("client_secret", answers).first { !$0.isEmpty }.map { Secret($0) },
            redirectURI: try answers[1]?.request?.url("redirect_uri"),
            issuer: try configurations.first?.url("issuer"),
            email: self.email,
            subject: self.subject
        )
    }

    /// What a server said last, and what it was asked.
    private typealias Answer = (response: ArchivedObject, request: ArchivedObject?)

    private func answer(
        _ key: String,
        _ response: Set<String>,
        _ request: Set<String>
    ) throws(MigrationError) -> Answer? {
        guard let response = try self.authState.object(key, response) else { return nil }
        return (response, try response.object("request", request))
    }

    /// A parameter of the requests, the newest first.
    private func requested(_ key: String, _ answers: [Answer?]) throws(MigrationError) -> [String] {
        try Self.each(answers.map { $0?.request }) { request throws(MigrationError) in try request.text(key) }
    }

    /// What the objects that are there have of something, in their order.
    private static func each<Value>(
        _ objects: [ArchivedObject?],
        _ value: (ArchivedObject) throws(MigrationError) -> Value?
    ) throws(MigrationError) -> [Value] {
        var values: [Value] = []
        for case let object? in objects {
            if let found = try value(object) { values.append(found) }
        }
        return values
    }

    private static func required(
        _ object: ArchivedObject,
        _ key: String,
        _ classes: Set<String>
    ) throws(MigrationError) -> ArchivedObject {
        guard let member = try object.object(key, classes) else {
            throw MigrationError(.damaged, detail: "\(object.plainClassName) has no \(key)")
        }
        return member
    }
}
