// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraOAuth

/// The settings for calls to an API.
public struct APISettings: Sendable {
    /// The root URL of a regional endpoint or a test server, or nil to use the API's own root URL.
    public var rootURL: String?
    /// The domain that replaces `googleapis.com` in a dedicated cloud environment.
    public var universeDomain: String
    /// The API key, sent as `X-Goog-Api-Key`, which identifies a project or permits calls without a signed-in user.
    public var apiKey: Secret?
    /// The bundle ID to which the key is restricted, sent as `X-Ios-Bundle-Identifier`.
    public var bundleIdentifier: String?
    /// The project whose quota is charged, sent as `X-Goog-User-Project`.
    public var quotaProject: String?
    /// Whether a call that the granted scopes do not permit fails before it is sent.
    public var checksScopes: Bool
    /// The maximum size of a response in bytes, up to 512 MiB.
    public var maximumResponseBytes: Int

    /// Creates settings, which by default use the API's root URL and no key, and allow responses of up to 64 MiB.
    public init(
        rootURL: String? = nil,
        universeDomain: String = Self.defaultUniverseDomain,
        apiKey: Secret? = nil,
        bundleIdentifier: String? = nil,
        quotaProject: String? = nil,
        checksScopes: Bool = true,
        maximumResponseBytes: Int = 64 << 20
    ) {
        self.rootURL = rootURL
        self.universeDomain = universeDomain
        self.apiKey = apiKey
        self.bundleIdentifier = bundleIdentifier
        self.quotaProject = quotaProject
        self.checksScopes = checksScopes
        self.maximumResponseBytes = maximumResponseBytes
    }
}

extension APISettings {
    /// The universe of Google's public cloud, `googleapis.com`.
    public static let defaultUniverseDomain = "googleapis.com"

    /// The header fields for all calls, without the API key.
    var headerFields: HTTPFields {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[named: "X-Ios-Bundle-Identifier"] = self.bundleIdentifier
        fields[named: "X-Goog-User-Project"] = self.quotaProject
        return fields
    }
}
