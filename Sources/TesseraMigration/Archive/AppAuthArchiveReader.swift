// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// Reads credentials from a keyed archive that contains classes from AppAuth, GTMAppAuth or GoogleSignIn.
///
/// Other contents of the archive, such as codes that have been used and their verifiers, are ignored.
struct AppAuthArchiveReader {
    private let authState: ArchivedObject
    private let email: String?
    private let subject: String?

    /// Creates a reader for an archive of classes from these libraries, or of Tessera's classes with the same names.
    init(parsing bytes: [UInt8]) throws(MigrationError) {
        let root = try KeyedArchive(parsing: bytes).rootObject()
        switch root.plainClassName {
        case "GTMAppAuthFetcherAuthorization", "GTMAuthSession", "AuthSession":
            self.authState = try Self.authState(of: root)
            self.email = try root.text("userEmail")
            self.subject = try root.text("userID")
        case "OIDAuthState":
            (self.authState, self.email, self.subject) = (root, nil, nil)
        case "GIDAuthentication":
            (self.authState, self.email, self.subject) = (try Self.authState(of: root), nil, nil)
        case "GIDGoogleUser":
            // In GoogleSignIn 6 and earlier, the state is nested in another object.
            let inner = try root.object("authentication", of: "GIDAuthentication")
            self.authState = try Self.authState(of: inner ?? root)
            self.email = try root.object("profileData", of: "GIDProfileData")?.text("email")
            self.subject = nil
        default:
            let printable = UntrustedText.printable(root.className, limit: 80)
            throw MigrationError(.unknownFormat, detail: "the archive contains an object of class \(printable)")
        }
    }

    func credentials() throws(MigrationError) -> ImportedCredentials {
        let tokens = try self.authState.object("lastTokenResponse", of: "OIDTokenResponse")
        let authorization = try self.authState.object("lastAuthorizationResponse", of: "OIDAuthorizationResponse")
        let authorizationRequest = try authorization?.object("request", of: "OIDAuthorizationRequest")
        // Sorted from newest to oldest.
        let responses = [tokens, authorization].compactMap { $0 }
        let requests = [try tokens?.object("request", of: "OIDTokenRequest"), authorizationRequest].compactMap { $0 }
        var configurations: [ArchivedObject] = []
        for request in requests {
            if let found = try request.object("configuration", of: "OIDServiceConfiguration") {
                configurations.append(found)
            }
        }
        let refreshTokens = [try self.authState.text("refreshToken"), try tokens?.text("refresh_token")]
        guard let refreshToken = refreshTokens.compactMap({ $0 }).first(where: { !$0.isEmpty }) else {
            throw MigrationError(.noRefreshToken)
        }
        let clientIDs = try requests.texts("client_id")
        guard Set(clientIDs).count <= 1 else {
            throw MigrationError(.damaged, detail: "it names two different clients")
        }
        return ImportedCredentials(
            format: .keyedArchive,
            credentials: ExistingCredentials(
                refreshToken: Secret(refreshToken),
                idToken: try responses.texts("id_token").first.map { Secret($0) },
                scopes: ScopeList.scopes(try self.authState.text("scope") ?? ""),
                tokenEndpoint: try configurations.first?.url("tokenEndpoint")
            ),
            clientID: clientIDs.first,
            clientSecret: try requests.texts("client_secret").first { !$0.isEmpty }.map { Secret($0) },
            redirectURI: try authorizationRequest?.url("redirect_uri"),
            issuer: try configurations.first?.url("issuer"),
            email: self.email,
            subject: self.subject
        )
    }

    private static func authState(of object: ArchivedObject) throws(MigrationError) -> ArchivedObject {
        if let authState = try object.object("authState", of: "OIDAuthState") { return authState }
        throw MigrationError(.damaged, detail: "\(object.plainClassName) has no authState")
    }
}

extension [ArchivedObject] {
    /// Returns the strings for a key from all objects that have the key.
    fileprivate func texts(_ key: String) throws(MigrationError) -> [String] {
        var texts: [String] = []
        for object in self {
            if let text = try object.text(key) { texts.append(text) }
        }
        return texts
    }
}
