// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
internal import Tessera
internal import TesseraOAuth

extension AuthSession {
    /// An error that prevents a request from being authorized, other than an error from the network or the provider.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The request is nil, has no URL, or its origin is not one of ``AuthSession/authorizedOrigins``.
        ///
        /// To send the session's tokens to another origin, call
        /// `session.authorizedOrigins.append(try .init("https://api.example"))`.
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

        /// The user info, which contains the request under the key `request`, the description and the suggestion.
        public var errorUserInfo: [String: Any] {
            // Foundation on Linux does not take the texts from `LocalizedError`.
            [
                "request": self.request, NSLocalizedDescriptionKey: self.text,
                NSLocalizedRecoverySuggestionErrorKey: self.advice,
            ]
        }

        /// A description of the error and how to recover from it.
        ///
        /// The description contains only the request's scheme and host.
        public var errorDescription: String? { self.text }
        /// Advice for the user or the developer.
        public var recoverySuggestion: String? { self.advice }

        private var request: URLRequest {
            switch self {
            case .cannotAuthorizeRequest(let request), .accessTokenEmptyForRequest(let request): request
            }
        }

        fileprivate var text: String { self.reason + " " + self.advice }

        private var reason: String {
            switch self {
            case .cannotAuthorizeRequest:
                if let origin = self.origin {
                    "Could not authorize the request: \(origin) is not one of the session's authorizedOrigins."
                } else if let location = self.location {
                    "Could not authorize the request: the session's tokens must not be sent to \(location)."
                } else {
                    "Could not authorize the request: it has no https URL."
                }
            case .accessTokenEmptyForRequest: "There is no access token for \(self.location ?? "the request")."
            }
        }

        private var advice: String {
            switch self {
            case .cannotAuthorizeRequest:
                if let origin = self.origin {
                    "If you trust this origin, call \(Self.call(allowing: origin))."
                } else {
                    "Use an https URL without a user name, and allow its origin, "
                        + "for example with \(Self.call(allowing: "https://api.example"))."
                }
            case .accessTokenEmptyForRequest: "Sign in again."
            }
        }

        /// The request's scheme and host, or nil if it has no host.
        private var location: String? {
            guard let url = self.request.url, let host = url.host(), !host.isEmpty else { return nil }
            return "\(url.scheme ?? "")://\(host)"
        }

        /// The request's origin, or nil if tokens cannot be sent there.
        private var origin: String? {
            guard let parts = self.request.url.flatMap({ URIParts($0.absoluteString) }), parts.userinfo == nil,
                let authority = parts.authority
            else { return nil }
            return (try? OriginPattern("\(parts.scheme)://\(authority)"))?.description
        }

        private static func call(allowing origin: String) -> String {
            "session.authorizedOrigins.append(try .init(\"\(origin)\"))"
        }
    }

    /// The error codes for ``AuthSession/Error``.
    public enum ErrorCode: Int, Sendable {
        /// The request is nil, has no URL, or its origin is not one of ``AuthSession/authorizedOrigins``.
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
