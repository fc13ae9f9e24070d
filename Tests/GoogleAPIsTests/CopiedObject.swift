// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON

/// An object type of an API and a function that copies its objects property by property.
struct CopiedObject: Sendable {
    let name: String
    let shape: APIShape
    /// Reads an object from a response and returns its JSON.
    let received: @Sendable (JSONValue) throws -> JSONNode
    /// Reads an object from a response and returns the JSON of a copy.
    let copied: @Sendable (JSONValue) throws -> JSONNode

    init<Object: APIObject>(_ type: Object.Type, copy: @escaping @Sendable (Object) -> Object) {
        self.name = "\(type)"
        self.shape = Object.shape
        self.received = { try Object.received($0).node }
        self.copied = { copy(try Object.received($0)).node }
    }
}

/// The copying functions for all object types of an API.
///
/// A conformance is deprecated if it copies deprecated properties. This requirement is not, so its use causes no warning.
protocol ObjectCopies: SendableMetatype {
    static var all: [CopiedObject] { get }
}
