// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A detail of a Google API's error, by its type.
///
/// - SeeAlso: [google/rpc/error_details.proto](https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto)
public enum GoogleErrorDetail: Sendable, Hashable {
    /// `google.rpc.ErrorInfo`: why, as a program reads it.
    case errorInfo(ErrorInfo)
    /// `google.rpc.RetryInfo`: seconds to wait at least.
    case retryInfo(seconds: Double)
    /// `google.rpc.QuotaFailure`: which limits were reached.
    case quotaFailure([Violation])
    /// `google.rpc.BadRequest`: which fields are wrong.
    case badRequest([Violation])
    /// `google.rpc.PreconditionFailure`: what has to be otherwise first.
    case preconditionFailure([Violation])
    /// `google.rpc.Help`: where more is said.
    case help([Link])
    /// `google.rpc.LocalizedMessage`: what may be shown to people.
    case localizedMessage(locale: String, message: String)
    /// `google.rpc.ResourceInfo`: which thing it is about.
    case resourceInfo(type: String, name: String, description: String)
    /// `google.rpc.RequestInfo`: Google's identifier of the request.
    case requestInfo(id: String)
    /// Another one, by its type's name; `json` is its text.
    case other(type: String, json: String)

    /// Why, as a program reads it.
    public struct ErrorInfo: Sendable, Hashable {
        /// Such as `RATE_LIMIT_EXCEEDED` and `SERVICE_DISABLED`.
        public var reason: String
        /// Such as `googleapis.com`.
        public var domain: String
        /// What belongs to the reason, such as `service` and `consumer`.
        public var metadata: [String: String]

        /// A reason.
        public init(reason: String, domain: String, metadata: [String: String] = [:]) {
            self.reason = reason
            self.domain = domain
            self.metadata = metadata
        }
    }

    /// Something that is not as it should be.
    public struct Violation: Sendable, Hashable {
        /// The field, the subject or the type of the precondition.
        public var subject: String
        /// What is wrong with it.
        public var description: String

        /// A violation.
        public init(subject: String, description: String) {
            self.subject = subject
            self.description = description
        }
    }

    /// Where more is said.
    public struct Link: Sendable, Hashable {
        /// What is there.
        public var description: String
        /// The address, as Google wrote it.
        public var url: String

        /// A link.
        public init(description: String, url: String) {
            self.description = description
            self.url = url
        }
    }
}
