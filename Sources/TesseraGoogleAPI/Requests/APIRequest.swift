// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// One call of an API's method as a value: what is sent, and what comes back.
///
/// Generated code has one for each method. ``APICall`` sends it.
public protocol APIRequest: Sendable {
    /// What comes back.
    associatedtype Response: APIValue

    /// The method.
    static var method: APIMethod { get }
    /// Parameters and body.
    var arguments: APIArguments { get set }
}

/// What a request carries.
///
/// For generated code; programs use the properties.
public struct APIArguments: Sendable {
    /// The parameters of the path and of the query, by their names at the API.
    public var parameters = APIStorage()
    /// The body.
    public var body: JSONNode?

    /// Nothing.
    public init() {}
}
