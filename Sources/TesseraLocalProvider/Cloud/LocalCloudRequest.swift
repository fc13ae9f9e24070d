// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
public import HTTPTypes
internal import TesseraJSON

/// A request that a cloud endpoint of the local provider has received.
///
/// It contains the tokens and assertions that the client sent.
public struct LocalCloudRequest: Sendable, Hashable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The host and, if it was sent, the port, as in the `Host` field.
    ///
    /// For an address such as `/cloud/sts.googleapis.com/v1/token`, this is the host in the path.
    public let host: String
    /// The path and query, still percent-encoded.
    public let target: String
    /// All header fields except `Host`.
    public let headers: HTTPFields
    /// The body.
    public let body: [UInt8]

    var node: JSONNode {
        let fields = self.headers.map { ($0.name.canonicalName, $0.value) }
        let headers = Dictionary(fields) { "\($0), \($1)" }.sorted { $0.key < $1.key }
        return .members([
            "method": self.method.rawValue, "host": self.host, "target": self.target,
            "headers": JSONNode.object(headers.map { JSONMember(name: $0.key, value: .string($0.value)) }),
            "body": String(decoding: self.body, as: UTF8.self),
        ])
    }
}

extension LocalProviderOptions {
    /// An endpoint to which a ``CloudFault`` applies.
    public enum CloudEndpoint: String, Sendable, Hashable, CaseIterable {
        /// `oauth2.googleapis.com/token`.
        case token
        /// `sts.googleapis.com/v1/token`.
        case tokenExchange
        /// `sts.googleapis.com/v1/oauthtoken`.
        case workforceRefresh
        /// `sts.googleapis.com/v1/introspect`.
        case introspection
        /// `generateAccessToken` of the IAM Credentials API.
        case generateAccessToken
        /// `generateIdToken` of the IAM Credentials API.
        case generateIDToken = "generateIdToken"
        /// `signBlob` of the IAM Credentials API.
        case signBlob
        /// `signJwt` of the IAM Credentials API.
        case signJWT = "signJwt"
        /// `allowedLocations` of the IAM Credentials API.
        case allowedLocations
        /// `cloudresourcemanager.googleapis.com/v1/projects/NUMBER`.
        case project
        /// The metadata server, except for access tokens and ID tokens.
        case metadata
        /// The metadata server's access tokens.
        case metadataToken
        /// The metadata server's ID tokens.
        case metadataIdentity
        /// The instance metadata service of AWS.
        case aws
        /// `/subject-token`.
        case subjectToken
        /// The published keys.
        case keys

        /// Returns the endpoint at a path in the router, or `nil` if the path belongs to another API.
        init?(_ path: String) {
            let ends = ["generateAccessToken", "generateIdToken", "signBlob", "signJwt", "allowedLocations"]
            let end = path.split { $0 == ":" || $0 == "/" }.last.map(String.init) ?? ""
            switch path {
            case "/token", "/oauth2/v4/token": self = .token
            case "/cloud/sts/v1/token": self = .tokenExchange
            case "/cloud/sts/v1/oauthtoken": self = .workforceRefresh
            case "/cloud/sts/v1/introspect": self = .introspection
            case "/subject-token": self = .subjectToken
            case "/oauth2/v3/certs", "/oauth2/v1/certs": self = .keys
            case _ where path.hasPrefix("/cloud/iamcredentials/") && ends.contains(end):
                self = Self(rawValue: end) ?? .allowedLocations
            case _ where path.hasPrefix("/cloud/cloudresourcemanager/"): self = .project
            case _ where path.hasPrefix("/cloud/metadata/latest/"): self = .aws
            case _ where path.hasPrefix("/cloud/metadata"):
                self = ["token": .metadataToken, "identity": .metadataIdentity][end] ?? .metadata
            case _ where path.hasPrefix("/cloud/gstatic/") || path.hasPrefix("/service_accounts/"): self = .keys
            default: return nil
            }
        }
    }

    /// A fault for a request to a ``CloudEndpoint``.
    public enum CloudFault: Sendable, Hashable {
        /// The request is processed normally.
        case none
        /// This status, optionally with `Retry-After` and a body.
        ///
        /// The request is not processed. If the body is `nil`, it is Google's error for the status.
        case status(Int, retryAfter: Int? = nil, body: String? = nil)
        /// The request is processed, and the connection closes in the middle of the response body.
        case truncatedResponse
        /// The request is processed, and the connection closes before the response starts.
        case lostResponse
        /// The request is not processed, and no response is sent before the provider stops.
        case noResponse
    }
}
#endif
