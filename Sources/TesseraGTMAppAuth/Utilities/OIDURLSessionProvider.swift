// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

/// AppAuth's setting for the `URLSession` of its requests.
///
/// Tessera's transports refuse redirects and keep no cookies, which a session cannot guarantee.
@available(*, unavailable, message: "Use OIDAuthorizationService.use(transport:insecure:).")
public final class OIDURLSessionProvider: NSObject {
    /// Returns the session.
    public class func session() -> URLSession { .shared }

    /// Sets the session.
    public class func setSession(_ session: URLSession) {}
}
