// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension APIFailure {
    /// Gmail's 400: an argument that cannot be.
    static func invalidArgument(_ message: String) -> APIFailure {
        APIFailure(
            status: .badRequest,
            statusName: "INVALID_ARGUMENT",
            reason: "invalidArgument",
            message: message
        )
    }

    /// Gmail's 404: there is no such message, thread, label or draft.
    static var entityNotFound: APIFailure {
        APIFailure(
            status: .notFound,
            statusName: "NOT_FOUND",
            reason: "notFound",
            message: "Requested entity was not found."
        )
    }
}
#endif
