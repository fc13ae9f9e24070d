// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension AuthSession {
    /// An error that prevents a request from being authorized, other than an error from the network or the provider.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The request's origin is not one of ``AuthSession/authorizedOrigins``.
        case cannotAuthorizeRequest(URLRequest)
        /// There is no access token.
        case accessTokenEmptyForRequest(URLRequest)

        /// The error domain, which is `GTMAuthSessionErrorDomain`.
        public static let errorDomain = "GTMAuthSessionErrorDomain"

        /// The raw value of the corresponding ``AuthSession/ErrorCode``.
        public var errorCode: Int {
            switch self {
            case .cannotAuthorizeRequest: ErrorCode.cannotAuthorizeRequest.rawValue
            case .accessTokenEmptyForRequest: ErrorCode.accessTokenEmptyForRequest.rawValue
            }
        }

        /// The user info, which contains the request under the key `request`, and the description.
        public var errorUserInfo: [String: Any] {
            ["request": self.request, NSLocalizedDescriptionKey: self.text]
        }

        /// A description of the error and how to recover from it.
        ///
        /// The description contains only the request's scheme and host.
        public var errorDescription: String? { self.text }
        /// Advice for the user or the developer.
        public var recoverySuggestion: String? {
            switch self {
            case .cannotAuthorizeRequest: "Add the origin to authorizedOrigins if you trust it."
            case .accessTokenEmptyForRequest: "Sign in again."
            }
        }

        private var request: URLRequest {
            switch self {
            case .cannotAuthorizeRequest(let request), .accessTokenEmptyForRequest(let request): request
            }
        }

        fileprivate var text: String {
            let location = self.request.url.map { "\($0.scheme ?? "no scheme")://\($0.host() ?? "")" } ?? "no URL"
            return switch self {
            case .cannotAuthorizeRequest:
                "Cannot send the session's tokens to \(location). Add the origin to authorizedOrigins if you trust it."
            case .accessTokenEmptyForRequest: "There is no access token for \(location). Sign in again."
            }
        }
    }

    /// The error codes for ``AuthSession/Error``.
    public enum ErrorCode: Int, Sendable {
        /// The request's origin is not one of ``AuthSession/authorizedOrigins``.
        case cannotAuthorizeRequest
        /// There is no access token.
        case accessTokenEmptyForRequest
    }
}

extension AuthSession.Error: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description of the error and how to recover from it.
    ///
    /// It omits the query and headers, which may contain secrets.
    public var description: String { self.text }
    /// The description, which is identical to ``description``.
    public var debugDescription: String { self.text }
    /// A mirror without children, because the request may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
