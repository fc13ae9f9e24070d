// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
package import Tessera
internal import TesseraJSON
public import TesseraOAuth

/// A method of an API, with its path and the scopes that permit it.
public struct APIMethod: Sendable {
    /// The identifier of the method, such as `drive.files.list`.
    public let id: String
    /// The HTTP method.
    public let httpMethod: HTTPRequest.Method
    /// The URI template of the path, relative to the API's service path.
    public let path: String
    /// The scopes, separated by spaces.
    private let scopeText: String
    /// The version that is sent as `X-Goog-Api-Version`.
    public let apiVersion: String?

    /// Creates a method.
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

    /// The scopes, any one of which permits the call.
    ///
    /// The array is empty if no scope is required.
    public var scopes: [Scope] {
        self.scopeText.utf8.split(separator: UInt8(ascii: " ")).map { Scope(String(Substring($0))) }
    }

    /// Returns whether the granted scopes permit the method.
    package func isPermitted(by grantedScopes: GrantedScopes) -> Bool {
        if self.scopeText.isEmpty { return true }
        // Compare the exact names first, because this is fast and usually sufficient.
        return grantedScopes.granted.contains { self.scopeText.hasWord($0.rawValue) }
            || self.scopes.contains { grantedScopes.contains($0) }
    }
}

extension String {
    /// Returns whether the string contains a word, where words are separated by spaces.
    fileprivate func hasWord(_ word: String) -> Bool {
        var (text, word) = (self, word)
        return text.withUTF8 { text in
            word.withUTF8 { word in
                var start = 0
                while !word.isEmpty, text.count - start >= word.count {
                    let end = text.span.firstIndex(of: UInt8(ascii: " "), from: start) ?? text.count
                    if end - start == word.count, word.indices.allSatisfy({ word[$0] == text[start &+ $0] }) {
                        return true
                    }
                    start = end + 1
                }
                return false
            }
        }
    }
}

/// An error thrown before a request is sent if the granted scopes do not permit the call.
public struct MissingScopeError: ErrorGuidance, Hashable {
    /// The identifier of the method, such as `drive.files.list`.
    public let methodID: String
    /// The scopes, any one of which is sufficient, in the order used by the API's documentation.
    public let anyOf: [Scope]

    /// A one-line description of the error.
    public var description: String { "\(self.methodID) is not permitted by the scopes the user granted" }

    /// Suggests requesting one of the scopes.
    public var recoverySuggestion: String? {
        "Ask the user to grant one of these scopes: " + self.anyOf.map(\.rawValue).joined(separator: " ")
    }
}
