// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

/// An error that the code under test has thrown.
struct CaughtError {
    let error: NSError

    /// The domain and the code.
    var kind: [AnyHashable] { [self.error.domain, self.error.code] }
    /// The error under `NSUnderlyingErrorKey`.
    var cause: CaughtError? {
        (self.error.userInfo[NSUnderlyingErrorKey] as? any Error).map { CaughtError(error: $0 as NSError) }
    }
    var message: String { self.error.localizedDescription }
    /// The server's error response.
    var response: [String: Any]? { self.error.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any] }

    /// Returns the error that `body` throws, and records an issue if it does not throw one.
    static func thrown<Value>(
        sourceLocation: SourceLocation = #_sourceLocation,
        by body: () async throws -> Value
    ) async throws -> CaughtError {
        do {
            _ = try await body()
        } catch {
            return CaughtError(error: error as NSError)
        }
        return try #require(nil as CaughtError?, "No error was thrown.", sourceLocation: sourceLocation)
    }
}
