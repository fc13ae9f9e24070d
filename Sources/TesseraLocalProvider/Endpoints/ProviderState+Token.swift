// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// The token endpoint.
    mutating func token(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        self.tokenRequestCount += 1
        let fault = self.behaviour.tokenFaults.isEmpty ? nil : self.behaviour.tokenFaults.removeFirst()
        if let fault, let response = Self.response(to: fault) { return response }
        do throws(TokenFailure) {
            let form = try Self.form(request)
            guard let grantType = form["grant_type"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: grant_type")
            }
            if grantType == "refresh_token" { self.refreshRequestCount += 1 }
            let client = try self.authenticatedClient(request, form)
            var response =
                switch grantType {
                case "authorization_code": try self.exchange(form, client, at: now)
                case "refresh_token": try self.refresh(form, client, at: now)
                default:
                    throw TokenFailure(
                        code: "unsupported_grant_type",
                        explanation: "This provider knows authorization_code and refresh_token."
                    )
                }
            response.isCut = fault == .cutAnswer
            response.isHeld = fault == .heldAnswer
            return response
        } catch {
            return error.response
        }
    }

    /// The form of a token or revocation request: one value for each name.
    static func form(_ request: EndpointRequest) throws(TokenFailure) -> FormParameters {
        guard request.contentType == "application/x-www-form-urlencoded" else {
            throw TokenFailure(
                code: "invalid_request",
                explanation: "Send the request as application/x-www-form-urlencoded."
            )
        }
        guard let form = try? FormParameters(decoding: request.body) else {
            throw TokenFailure(code: "invalid_request", explanation: "The body is not a well-formed form.")
        }
        if let name = form.repeatedName {
            throw TokenFailure(
                code: "invalid_request",
                explanation: "The parameter \(name.debugDescription) is repeated."
            )
        }
        return form
    }

    static func requiredValue(_ name: String, _ form: FormParameters) throws(TokenFailure) -> String {
        guard let value = form[name] else {
            throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: \(name)")
        }
        return value
    }

    static func invalidGrant(_ explanation: String) -> TokenFailure {
        TokenFailure(code: "invalid_grant", explanation: explanation)
    }

    /// The answer of a fault that leaves the grant alone; nil for one that does not.
    private static func response(to fault: LocalProviderOptions.TokenFault) -> EndpointResponse? {
        switch fault {
        case .unavailable(let retryAfter):
            var response = TokenFailure(
                code: "temporarily_unavailable",
                explanation: "Try again later.",
                status: .serviceUnavailable
            )
            .response
            response.headers[.retryAfter] = retryAfter.map(String.init)
            return response
        case .error(let code):
            return TokenFailure(code: code, explanation: "As the test asked.").response
        case .html:
            var response = EndpointResponse(
                .ok,
                content: .bytes(Array("<!doctype html><title>Sign in to the network</title>".utf8))
            )
            response.headers[.contentType] = "text/html; charset=utf-8"
            return response
        case .cutAnswer, .heldAnswer:
            return nil
        }
    }
}
#endif
