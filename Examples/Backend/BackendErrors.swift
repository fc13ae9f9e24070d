// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Hummingbird
import HTTPTypes
import Logging
import Tessera
import TesseraGoogleAPI
import TesseraJOSE
import TesseraOAuth

/// Turns what went wrong into an answer that says what to do, without a secret and without what is nobody's business.
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
            let answer = Self.answer(to: error, at: context.endpointPath)
            if answer.status.kind == .serverError {
                self.logger.error("a request failed", metadata: ["reason": "\(error)"])
            } else {
                self.logger.info("a request was refused", metadata: ["reason": "\(error)"])
            }
            if request.headers[.accept]?.contains("text/html") == true {
                return Page.problem(answer.words).response(answer.status)
            }
            return try Problem(error: answer.words).response(answer.status, request, context)
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
            return response
        }
    }

    private static func answer(
        to error: any Error,
        at path: String?
    ) -> (status: HTTPResponse.Status, words: String) {
        switch error {
        case let error as HTTPError:
            (error.status, error.body ?? error.status.reasonPhrase)
        case is SessionEndedError:
            (.unauthorized, "Sign in again: the access has ended.")
        case let error as SignInError where error.code == .accountMismatch:
            (.forbidden, "The code is another person's than the ID token.")
        case is ProtocolViolationError where path == "/callback" || path == "/tokens":
            // A forged or repeated answer, or a token of somebody else's: nothing that the sender has to know more about.
            (.forbidden, "This answer does not belong to a sign-in that is open here. Begin again.")
        case is ProtocolViolationError:
            (.badGateway, "The provider’s answer cannot be trusted, and was not used.")
        case let error as OAuthError where error.code == .accessDenied:
            (.forbidden, "You said no. Nothing was changed.")
        case let error as OAuthError where error.code == .invalidGrant:
            (.badRequest, "The code is not good, or was used before. Ask for a new one.")
        case is DecodingError:
            (.badRequest, "The body is not what was expected.")
        case let error as any HTTPResponseError:
            (error.status, error.status.reasonPhrase)
        case let error as any ErrorGuidance where error.isRetryable:
            (.serviceUnavailable, "That did not work just now. Try again in a moment.")
        default:
            (.internalServerError, "Something is wrong here.")
        }
    }
}
