// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// A method of an API: where it is, and what permits it.
public struct APIMethod: Sendable {
    /// Such as `drive.files.list`.
    public let id: String
    /// The HTTP method.
    public let httpMethod: HTTPRequest.Method
    /// A URI template below the API's service path.
    public let path: String
    /// Scopes with spaces between them, any one of which permits the call; empty where none is needed.
    private let scopeText: String
    /// The version that `X-Goog-Api-Version` names.
    public let apiVersion: String?

    /// A method.
    public init(
        _ id: String,
        _ httpMethod: String,
        _ path: String,
        scopes: String = "",
        apiVersion: String? = nil
    ) {
        self.id = id
        self.httpMethod = HTTPRequest.Method(httpMethod) ?? .get
        self.path = path
        self.scopeText = scopes
        self.apiVersion = apiVersion
    }

    /// Any one of these permits the call; none is needed where there is none.
    public var scopes: [Scope] { self.scopeText.split(separator: " ").map { Scope(String($0)) } }
}
