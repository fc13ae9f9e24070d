// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

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
