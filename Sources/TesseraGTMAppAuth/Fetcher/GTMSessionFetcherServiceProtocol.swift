// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Dispatch

/// What an authorizer knows of the service that makes the fetchers.
public protocol GTMSessionFetcherServiceProtocol: AnyObject, Sendable {
    /// Where handlers are called; nil for the main queue.
    var callbackQueue: DispatchQueue? { get }
}
