// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraOAuth

/// How an API is called.
public struct APISettings: Sendable {
    /// In place of the API's root URL: a regional endpoint, or a server of a test; nil for the API's own.
    public var rootURL: String?
    /// In place of `googleapis.com`, for those who have a cloud of their own.
    public var universeDomain: String
    /// A key, sent as `X-Goog-Api-Key`: for APIs that count calls by project, or that need nobody to be signed in.
    public var apiKey: Secret?
    /// The bundle that the key is restricted to, sent as `X-Ios-Bundle-Identifier`.
    public var bundleIdentifier: String?
    /// Which project's quota pays, sent as `X-Goog-User-Project`.
    public var quotaProject: String?
    /// Whether a call that the person's grant does not permit is refused before it is sent.
    public var checksScopes: Bool
    /// How many bytes of an answer are taken, at most 512 MiB.
    public var maximumAnswerBytes: Int

    /// The API's own endpoint, no key, and answers of up to 64 MiB.
    public init(
        rootURL: String? = nil,
        universeDomain: String = "googleapis.com",
        apiKey: Secret? = nil,
        bundleIdentifier: String? = nil,
        quotaProject: String? = nil,
        checksScopes: Bool = true,
        maximumAnswerBytes: Int = 64 << 20
    ) {
        self.rootURL = rootURL
        self.universeDomain = universeDomain
        self.apiKey = apiKey
        self.bundleIdentifier = bundleIdentifier
        self.quotaProject = quotaProject
        self.checksScopes = checksScopes
        self.maximumAnswerBytes = maximumAnswerBytes
    }
}

extension APISettings {
    /// The fields that every call has, but for the key.
    var headerFields: HTTPFields {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[named: "X-Ios-Bundle-Identifier"] = self.bundleIdentifier
        fields[named: "X-Goog-User-Project"] = self.quotaProject
        return fields
    }
}
