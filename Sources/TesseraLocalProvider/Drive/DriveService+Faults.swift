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
            return APIFailure(
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

    private static func failure(_ code: Int) -> APIFailure {
        let status = HTTPResponse.Status(code: code)
        return switch code {
        case 401:
            APIFailure(
                status: status,
                statusName: "UNAUTHENTICATED",
                reason: "authError",
                message: "Invalid Credentials"
            )
        case 403:
            APIFailure(status: status, statusName: "PERMISSION_DENIED", reason: "forbidden", message: "Forbidden")
        case 404:
            APIFailure(status: status, reason: "notFound", message: "Not Found")
        case 408:
            APIFailure(status: status, reason: "requestTimeout", message: "Request Timeout")
        case 429:
            APIFailure(
                status: status,
                statusName: "RESOURCE_EXHAUSTED",
                reason: "rateLimitExceeded",
                message: "Rate Limit Exceeded",
                domain: "usageLimits"
            )
        case 503:
            APIFailure(
                status: status,
                statusName: "UNAVAILABLE",
                reason: "backendError",
                message: "Service Unavailable"
            )
        case 500...:
            APIFailure(status: status, statusName: "INTERNAL", reason: "internalError", message: "Internal Error")
        default:
            APIFailure(status: status, reason: "badRequest", message: "As the test asked.")
        }
    }
}
#endif
