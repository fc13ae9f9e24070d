// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension DriveService {
    /// The answer of a fault that carries nothing out, whatever was asked; nil for the others.
    static func response(to fault: LocalProviderOptions.DriveFault) -> EndpointResponse? {
        switch fault {
        case .status(let code, let retryAfter):
            var response = self.failure(code).response
            response.headers[.retryAfter] = retryAfter.map(String.init)
            return response
        case .rateLimited:
            let message = "User Rate Limit Exceeded. Rate of requests for user exceed configured project quota."
            return DriveFailure(
                status: .forbidden,
                reason: "userRateLimitExceeded",
                message: message,
                domain: "usageLimits"
            )
            .response
        default:
            return nil
        }
    }

    private static func failure(_ code: Int) -> DriveFailure {
        let status = HTTPResponse.Status(code: code)
        return switch code {
        case 401:
            DriveFailure(
                status: status,
                statusName: "UNAUTHENTICATED",
                reason: "authError",
                message: "Invalid Credentials"
            )
        case 403:
            DriveFailure(status: status, statusName: "PERMISSION_DENIED", reason: "forbidden", message: "Forbidden")
        case 404:
            DriveFailure(status: status, reason: "notFound", message: "Not Found")
        case 408:
            DriveFailure(status: status, reason: "requestTimeout", message: "Request Timeout")
        case 429:
            DriveFailure(
                status: status,
                statusName: "RESOURCE_EXHAUSTED",
                reason: "rateLimitExceeded",
                message: "Rate Limit Exceeded",
                domain: "usageLimits"
            )
        case 503:
            DriveFailure(
                status: status,
                statusName: "UNAVAILABLE",
                reason: "backendError",
                message: "Service Unavailable"
            )
        case 500...:
            DriveFailure(status: status, statusName: "INTERNAL", reason: "internalError", message: "Internal Error")
        default:
            DriveFailure(status: status, reason: "badRequest", message: "As the test asked.")
        }
    }
}
#endif
