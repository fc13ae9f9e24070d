// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth

/// Describes the result of a call: `accepted`, the violated rule, or the error and its code.
func outcome<Value>(_ body: () throws -> Value) -> String {
    do {
        _ = try body()
        return "accepted"
    } catch {
        return name(error)
    }
}

/// Describes the result of an asynchronous call in the same format as ``outcome(_:)``.
func eventualOutcome<Value>(_ body: () async throws -> Value) async -> String {
    do {
        _ = try await body()
        return "accepted"
    } catch {
        return name(error)
    }
}

private func name(_ error: any Error) -> String {
    switch error {
    case let error as ProtocolViolationError: error.rule.rawValue
    case let error as OAuthError: "OAuthError \(error.code.rawValue)"
    case let error as HTTPStatusError: "HTTPStatusError \(error.status)"
    case let error as InvalidRequestError: "InvalidRequestError \(error.name)"
    case let error as TransportError: "TransportError \(error.code)"
    default: "\(type(of: error))"
    }
}
