// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
public import TesseraOAuth

/// Google's `client_secret.json` file, which describes a desktop (`installed`) or web client.
///
/// - SeeAlso: [Google's page on OAuth for desktop programs](https://developers.google.com/identity/protocols/oauth2/native-app)
public struct GoogleClientFile: Sendable, Hashable {
    /// The type of client.
    public enum Kind: String, Sendable, Hashable {
        /// A desktop client, which can use any loopback port and whose secret is not confidential.
        case installed
        /// A web server client, for which redirect URIs must match exactly.
        case web
    }

    /// The client's type.
    public let kind: Kind
    /// `client_id`.
    public let clientID: String
    /// `client_secret`.
    public let clientSecret: Secret?
    /// `project_id`.
    public let projectID: String?
    /// `auth_uri`.
    public let authorizationURI: String?
    /// `token_uri`.
    public let tokenURI: String?
    /// `redirect_uris`.
    public let redirectURIs: [String]

    /// Parses the contents of the file.
    ///
    /// - Throws: `InvalidRequestError` that describes what is missing.
    public init(parsing bytes: [UInt8]) throws(InvalidRequestError) {
        let file: JSONValue
        do {
            file = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 16, maximumBytes: 1 << 16))
        } catch {
            throw Self.wrong("not JSON: \(error.explanation(of: bytes))")
        }
        let kind: Kind = file["installed"] != nil ? .installed : .web
        guard let client = file[kind.rawValue] else { throw Self.wrong("neither \"installed\" nor \"web\" is in it") }
        guard let clientID = client["client_id"]?.string, !clientID.isEmpty else { throw Self.wrong("no client_id") }
        self.kind = kind
        self.clientID = clientID
        self.clientSecret = client["client_secret"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
        self.projectID = client["project_id"]?.string
        self.authorizationURI = client["auth_uri"]?.string
        self.tokenURI = client["token_uri"]?.string
        self.redirectURIs = client["redirect_uris"]?.elements?.compactMap(\.string) ?? []
    }

    private static func wrong(_ reason: String) -> InvalidRequestError {
        InvalidRequestError(
            "client file",
            reason: "\(reason); expected Google's client_secret.json",
            advice: "Download the file again and save it unchanged, as UTF-8 without a byte order mark."
        )
    }
}

extension OAuthClient {
    /// Returns the redirect URI for a client of Google's *iOS* type, which is also used on macOS.
    ///
    /// The URI's private scheme is the reversed client ID. You do not have to register the redirect URI with Google.
    /// List its scheme under `CFBundleURLTypes` in the app's Info.plist.
    ///
    /// - Throws: `InvalidRequestError` if the client ID does not have the format of Google's client IDs.
    /// - SeeAlso: [OAuth 2.0 for iOS and desktop apps](https://developers.google.com/identity/protocols/oauth2/native-app)
    public func googleAppRedirectURI() throws(InvalidRequestError) -> String {
        let labels = self.clientID.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else {
            throw InvalidRequestError("client ID", reason: "must look like 123-abc.apps.googleusercontent.com")
        }
        return labels.reversed().joined(separator: ".").lowercased() + ":/oauth2callback"
    }
}
