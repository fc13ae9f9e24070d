// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth

/// Returns the result of a call for a table: `accepted`, the violated rule, or an error and its code.
func outcome<Value>(_ body: () throws -> Value) -> String {
    do {
        _ = try body()
        return "accepted"
    } catch {
        return name(error)
    }
}

/// Returns the result of an asynchronous call for a table.
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
    case let error as InvalidRequestError: "InvalidRequestError \(error.name)"
    case let error as SignInError: "SignInError \(error.code)"
    default: "\(type(of: error))"
    }
}
