// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// An answer with its head, for what is said there alone.
public struct APIAnswer<Value: Sendable>: Sendable {
    /// What came back.
    public let value: Value
    /// The head.
    public let response: HTTPResponse

    /// The entity tag, for ``APICall/ifMatch(_:)`` and ``APICall/ifNoneMatch(_:)``.
    public var entityTag: String? { self.response.headerFields[.eTag] }
}
