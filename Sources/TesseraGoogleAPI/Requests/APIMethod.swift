// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
package import Tessera
internal import TesseraJSON
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
    public var scopes: [Scope] {
        self.scopeText.utf8.split(separator: UInt8(ascii: " ")).map { Scope(String(Substring($0))) }
    }

    /// Whether a grant permits it.
    package func isPermitted(by grant: Grant) -> Bool {
        if self.scopeText.isEmpty { return true }
        // Most often it is spelt as it was granted; every call comes here.
        return grant.granted.contains { self.scopeText.hasWord($0.rawValue) }
            || self.scopes.contains { grant.contains($0) }
    }
}

extension String {
    /// Whether one of the words between spaces is this one.
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

/// A call that the person's grant does not permit, known before it is made.
public struct MissingScopeError: ErrorGuidance, Hashable {
    /// The method, such as `drive.files.list`.
    public let methodID: String
    /// Any one of these would do, those that permit least last or first as the API lists them.
    public let anyOf: [Scope]

    /// One line.
    public var description: String { "\(self.methodID) is not permitted by what the person granted" }

    /// Which scopes to ask for.
    public var recoverySuggestion: String? {
        "Ask the person for one of these scopes: " + self.anyOf.map(\.rawValue).joined(separator: " ")
    }
}
