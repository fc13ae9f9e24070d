// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A request on its way to an authorization, and who waits for it.
struct PendingRequest: Sendable {
    /// As it was when it came.
    let request: URLRequest
    /// Gets the value of the `Authorization` field.
    let callback: Callback<Result<Secret, any Error>>
}
