// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension AuthSession {
    /// Why a request got no authorization, where neither the network nor the provider is the reason.
    public enum Error: Swift.Error, Equatable, CustomNSError, LocalizedError {
        /// The request goes where the session's tokens may not be sent; see ``AuthSession/authorizedOrigins``.
        case cannotAuthorizeRequest(URLRequest)
        /// There is no access token.
        case accessTokenEmptyForRequest(URLRequest)

        /// `GTMAuthSessionErrorDomain`.
        public static let errorDomain = "GTMAuthSessionErrorDomain"

        /// The code, as in ``AuthSession/ErrorCode``.
        public var errorCode: Int {
            switch self {
            case .cannotAuthorizeRequest: ErrorCode.cannotAuthorizeRequest.rawValue
            case .accessTokenEmptyForRequest: ErrorCode.accessTokenEmptyForRequest.rawValue
            }
        }

        /// The request under `request`, and the description.
        public var errorUserInfo: [String: Any] {
            ["request": self.request, NSLocalizedDescriptionKey: self.text]
        }

        /// What happened and what to do, in one line; of the request only where it goes.
        public var errorDescription: String? { self.text }
        /// An instruction for the user or the developer.
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
            let place = self.request.url.map { "\($0.scheme ?? "no scheme")://\($0.host() ?? "")" } ?? "nowhere"
            return switch self {
            case .cannotAuthorizeRequest:
                "Tokens of this session may not be sent to \(place). Add it to authorizedOrigins if you trust it."
            case .accessTokenEmptyForRequest: "There is no access token for \(place). Sign in again."
            }
        }
    }

    /// The numbers of ``AuthSession/Error``.
    public enum ErrorCode: Int, Sendable {
        /// The request goes where the session's tokens may not be sent.
        case cannotAuthorizeRequest
        /// There is no access token.
        case accessTokenEmptyForRequest
    }
}

extension AuthSession.Error: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What happened and what to do; the rest of the request, which may have secrets in its query and its header, is left out.
    public var description: String { self.text }
    /// The same as ``description``.
    public var debugDescription: String { self.text }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
