// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The domain of fetchers' errors whose number is an HTTP status.
public let kGTMSessionFetcherStatusDomain = "com.google.HTTPStatus"
/// Of such an error: the answer's body, as `Data`.
public let kGTMSessionFetcherStatusDataKey = "data"
/// Of such an error: the body's `Content-Type`.
public let kGTMSessionFetcherStatusDataContentTypeKey = "data_content_type"
/// The domain of fetchers' own errors, whose numbers are those of `GTMSessionFetcherError`.
public let kGTMSessionFetcherErrorDomain = "com.google.GTMSessionFetcher"

/// Fetchers' own errors, as far as an authorized call has them.
public enum GTMSessionFetcherError: Int, Sendable {
    /// The URL is not https, and nobody said that it may be so.
    case insecureRequest = -5
    /// There is no URL, or none that can be called.
    case taskCreationFailed = -6
}
