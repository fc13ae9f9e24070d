// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A detail of an error from a Google API.
///
/// - SeeAlso: [google/rpc/error_details.proto](https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto)
public enum GoogleErrorDetail: Sendable, Hashable {
    /// `google.rpc.ErrorInfo`, the machine-readable reason.
    case errorInfo(ErrorInfo)
    /// `google.rpc.RetryInfo`, the minimum delay in seconds.
    case retryInfo(seconds: Double)
    /// `google.rpc.QuotaFailure`, the limits that were exceeded.
    case quotaFailure([Violation])
    /// `google.rpc.BadRequest`, the fields that are invalid.
    case badRequest([Violation])
    /// `google.rpc.PreconditionFailure`, the preconditions that are not met.
    case preconditionFailure([Violation])
    /// `google.rpc.Help`, links to more information.
    case help([Link])
    /// `google.rpc.LocalizedMessage`, a message for users.
    case localizedMessage(locale: String, message: String)
    /// `google.rpc.ResourceInfo`, the resource that was accessed.
    case resourceInfo(type: String, name: String, description: String)
    /// `google.rpc.RequestInfo`, Google's identifier for the request.
    case requestInfo(id: String)
    /// A detail of another type, as JSON text.
    case other(type: String, json: String)

    /// A machine-readable reason for an error.
    public struct ErrorInfo: Sendable, Hashable {
        /// The reason, such as `RATE_LIMIT_EXCEEDED` or `SERVICE_DISABLED`.
        public var reason: String
        /// The domain of the reason, such as `googleapis.com`.
        public var domain: String
        /// Additional information about the reason, such as `service` and `consumer`.
        public var metadata: [String: String]

        /// Creates a reason for an error.
        public init(reason: String, domain: String, metadata: [String: String] = [:]) {
            self.reason = reason
            self.domain = domain
            self.metadata = metadata
        }
    }

    /// A violation of a quota, a precondition or the rules for a field.
    public struct Violation: Sendable, Hashable {
        /// The subject of the quota, the name of the field, or the type of the precondition.
        public var subject: String
        /// A description of the violation.
        public var description: String

        /// Creates a violation.
        public init(subject: String, description: String) {
            self.subject = subject
            self.description = description
        }
    }

    /// A link to more information.
    public struct Link: Sendable, Hashable {
        /// A description of the linked page.
        public var description: String
        /// The URL as Google sent it.
        public var url: String

        /// Creates a link.
        public init(description: String, url: String) {
            self.description = description
            self.url = url
        }
    }
}
