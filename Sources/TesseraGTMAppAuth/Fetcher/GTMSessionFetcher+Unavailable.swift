// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation

/// The fetcher's `URLSession`.
@available(
    *,
    unavailable,
    message:
        "The transport is not a URLSession. Set the transport with OIDAuthorizationService.use(transport:insecure:)."
)
extension GTMSessionFetcher {
    /// The session.
    public var session: URLSession? {
        get { nil }
        set {}
    }

    /// The task.
    public var sessionTask: URLSessionTask? { nil }

    /// Whether the session can be shared.
    public var canShareSession: Bool { false }

    /// Whether to use an upload task.
    public var useUploadTask: Bool {
        get { false }
        set {}
    }

    /// The queue for the session's delegate.
    public var sessionDelegateQueue: OperationQueue! {
        get { nil }
        set {}
    }

    /// A closure that receives the session's metrics.
    public var metricsCollectionBlock: GTMSessionFetcherMetricsCollectionBlock? {
        get { nil }
        set {}
    }

    /// A closure that decides what the session caches.
    public var willCacheURLResponseBlock: GTMSessionFetcherWillCacheURLResponseBlock? {
        get { nil }
        set {}
    }
}

/// Fetches that continue while the app does not run.
@available(
    *,
    unavailable,
    message: "Background sessions are not available. Use TesseraFetch's resumable uploads and downloads."
)
extension GTMSessionFetcher {
    /// Creates a fetcher that continues a download.
    public convenience init(downloadResumeData resumeData: Data) { self.init(request: nil) }

    /// Creates a fetcher for a background session.
    public convenience init?(sessionIdentifier: String) { return nil }

    /// Returns the fetchers of background sessions.
    public class func fetchersForBackgroundSessions() -> [GTMSessionFetcher] { [] }

    /// The data with which a download continues.
    public var downloadResumeData: Data? { nil }

    /// A closure that receives the data with which a download continues.
    public var resumeDataBlock: ((Data) -> Void)? {
        get { nil }
        set {}
    }

    /// The identifier of the background session.
    public var sessionIdentifier: String? { nil }

    /// Whether the fetcher belongs to an earlier background session.
    public var wasCreatedFromBackgroundSession: Bool { false }

    /// Whether the app reconnects the background session itself.
    public var clientWillReconnectBackgroundSession: Bool {
        get { false }
        set {}
    }

    /// The app's values in the identifier of the background session.
    public var sessionUserInfo: [String: String]? {
        get { nil }
        set {}
    }

    /// Returns the fetcher's values in the identifier of the background session.
    public func sessionIdentifierMetadata() -> [String: String]? { nil }

    /// Whether to use a background session.
    public var useBackgroundSession: Bool {
        get { false }
        set {}
    }

    /// Whether the fetcher uses a background session.
    public var isUsingBackgroundSession: Bool { false }

    /// Whether to do without background time.
    public var skipBackgroundTask: Bool {
        get { false }
        set {}
    }
}

/// Exceptions from the verification of certificates.
@available(
    *,
    unavailable,
    message:
        "Certificates are always verified. Trust an additional certificate with the transport's additionalTrustRoots."
)
extension GTMSessionFetcher {
    /// Whether to accept any certificate.
    public var allowInvalidServerCertificates: Bool {
        get { false }
        set {}
    }

    /// A closure that decides about challenges.
    public var challengeBlock: GTMSessionFetcherChallengeBlock? {
        get { nil }
        set {}
    }
}

/// Credentials for challenges.
@available(
    *,
    unavailable,
    message:
        "Set the Authorization header, or an authorizer. The transport takes the proxy's credentials from HTTPS_PROXY."
)
extension GTMSessionFetcher {
    /// The credential for the server.
    public var credential: URLCredential? {
        get { nil }
        set {}
    }

    /// The credential for the proxy.
    public var proxyCredential: URLCredential? {
        get { nil }
        set {}
    }
}

/// Cookies.
@available(*, unavailable, message: "Cookies are neither sent nor stored.")
extension GTMSessionFetcher {
    /// The storage for cookies.
    public var cookieStorage: HTTPCookieStorage? {
        get { nil }
        set {}
    }

    /// Returns the storage for cookies of all fetchers.
    public class func staticCookieStorage() -> HTTPCookieStorage { HTTPCookieStorage.shared }
}

/// The service's `URLSession`.
@available(
    *,
    unavailable,
    message:
        "The transport is not a URLSession. Set the transport with OIDAuthorizationService.use(transport:insecure:)."
)
extension GTMSessionFetcherService {
    /// The queue for the session's delegate.
    public var sessionDelegateQueue: OperationQueue! {
        get { nil }
        set {}
    }

    /// The seconds after which an unused session ends.
    public var unusedSessionTimeout: TimeInterval {
        get { 0 }
        set {}
    }

    /// Ends the session.
    public func resetSession() {}

    /// A closure that receives the session's metrics.
    public var metricsCollectionBlock: GTMSessionFetcherMetricsCollectionBlock? {
        get { nil }
        set {}
    }

    /// Whether to do without background time.
    public var skipBackgroundTask: Bool {
        get { false }
        set {}
    }
}

/// Exceptions from the verification of certificates.
@available(
    *,
    unavailable,
    message:
        "Certificates are always verified. Trust an additional certificate with the transport's additionalTrustRoots."
)
extension GTMSessionFetcherService {
    /// Whether to accept any certificate.
    public var allowInvalidServerCertificates: Bool {
        get { false }
        set {}
    }

    /// A closure that decides about challenges.
    public var challengeBlock: GTMSessionFetcherChallengeBlock? {
        get { nil }
        set {}
    }
}

/// Credentials for challenges.
@available(
    *,
    unavailable,
    message:
        "Set the Authorization header, or an authorizer. The transport takes the proxy's credentials from HTTPS_PROXY."
)
extension GTMSessionFetcherService {
    /// The credential for the server.
    public var credential: URLCredential? {
        get { nil }
        set {}
    }

    /// The credential for the proxy.
    public var proxyCredential: URLCredential? {
        get { nil }
        set {}
    }
}

/// Cookies.
@available(*, unavailable, message: "Cookies are neither sent nor stored.")
extension GTMSessionFetcherService {
    /// The storage for cookies.
    public var cookieStorage: HTTPCookieStorage? {
        get { nil }
        set {}
    }
}

/// Uploads that continue while the app does not run.
@available(
    *,
    unavailable,
    message: "Background sessions are not available. Create a fetcher with the uploadLocationURL."
)
extension GTMSessionUploadFetcher {
    /// Creates a fetcher for a background session.
    public convenience init?(forSessionIdentifier sessionIdentifier: String) { return nil }

    /// Returns the fetchers of background sessions.
    public class func uploadFetchersForBackgroundSessions() -> [Any] { [] }
}
