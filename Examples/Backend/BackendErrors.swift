// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Logging
import Tessera
import TesseraGoogleAPI
import TesseraJOSE
import TesseraOAuth

/// Converts errors to responses that tell the user what to do and reveal no secrets or internal details.
struct BackendErrors: RouterMiddleware {
    typealias Context = BasicRequestContext

    let logger: Logger

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let response = Self.response(to: error, at: context.endpointPath)
            if response.status.kind == .serverError {
                self.logger.error("a request failed", metadata: ["reason": "\(error)"])
            } else {
                self.logger.info("a request was rejected", metadata: ["reason": "\(error)"])
            }
            if request.headers[.accept]?.contains("text/html") == true {
                return Page.problem(response.message).response(response.status)
            }
            return try Problem(error: response.message).response(response.status, request, context)
        }
    }

    private struct Problem: ResponseEncodable {
        let error: String

        func response(
            _ status: HTTPResponse.Status,
            _ request: Request,
            _ context: BasicRequestContext
        ) throws -> Response {
            var response = try self.response(from: request, context: context)
            response.status = status
            // RFC 9110, section 15.5.2
            if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }
    }

    private static func response(
        to error: any Error,
        at path: String?
    ) -> (status: HTTPResponse.Status, message: String) {
        switch error {
        case let error as HTTPError:
            (error.status, error.body ?? error.status.reasonPhrase)
        case is SessionEndedError:
            (.unauthorized, "Your session has ended. Sign in again.")
        case let error as SignInError where error.code == .accountMismatch:
            (.forbidden, "The code and the ID token belong to different users.")
        case is ProtocolViolationError where path == "/callback" || path == "/tokens":
            // The response was forged or repeated, or the token is for another client. Do not give the sender details.
            (.forbidden, "The response does not belong to a pending sign-in. Sign in again.")
        case is ProtocolViolationError:
            (.badGateway, "The provider sent an invalid response. Try again later.")
        case let error as OAuthError where error.code == .accessDenied:
            (.forbidden, "Access was denied. Sign in again to allow it.")
        case let error as OAuthError where error.code == .invalidGrant:
            (.badRequest, "The code is invalid or was already used. Request a new one.")
        case is DecodingError:
            (.badRequest, "The request body is invalid.")
        case let error as any HTTPResponseError:
            (error.status, error.status.reasonPhrase)
        case let error as any ErrorGuidance where error.isRetryable:
            (.serviceUnavailable, "The service is temporarily unavailable. Try again in a moment.")
        default:
            (.internalServerError, "An internal error occurred.")
        }
    }
}
