// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGoogleAPI
internal import TesseraJSON

/// An object of an API, and what copies one property by property.
struct CopiedObject: Sendable {
    let name: String
    let shape: APIShape
    /// Reads an object as an answer, and gives its JSON.
    let received: @Sendable (JSONValue) throws -> JSONNode
    /// Reads an object as an answer, and gives the JSON of a copy.
    let copied: @Sendable (JSONValue) throws -> JSONNode

    init<Object: APIObject>(_ type: Object.Type, copy: @escaping @Sendable (Object) -> Object) {
        self.name = "\(type)"
        self.shape = Object.shape
        self.received = { try Object.received($0).node }
        self.copied = { copy(try Object.received($0)).node }
    }
}

/// What copies each object of an API, property by property.
///
/// The requirement is not deprecated where a witness is.
protocol ObjectCopies: SendableMetatype {
    static var all: [CopiedObject] { get }
}
