// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraOAuth
internal import TesseraSupport

/// A call to the Drive or to the Gmail whose access token allows it.
struct APICall: Sendable {
    let request: EndpointRequest
    let parameters: FormParameters
    let clientID: String
    let account: LocalProviderAccount
    /// Every account that the provider has.
    let accounts: [LocalProviderAccount]
    /// The scopes of the method that the token has.
    let scopes: Set<String>
    /// Where the provider is reached, for addresses in responses.
    let baseURL: String
    let pictureURL: String
    let fault: LocalProviderOptions.DriveFault
    var now: Date

    /// The identifier of the file, message, thread, label or draft that the address names.
    var id: String { self.request.parameter("id") }
    var itemID: String? { self.request.pathParameters["id"] }
}

extension ProviderService {
    /// Reads a call to an API and checks that its token has one of `scopes`, or of `media` for the bytes of a file.
    func apiCall(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        media: [String]? = nil,
        service: String,
        _ fault: LocalProviderOptions.DriveFault = .none
    ) throws(APIFailure) -> APICall {
        guard let parameters = try? FormParameters(received: request.query) else {
            throw .badRequest("The query is not well-formed.")
        }
        let scopes = parameters["alt"] == "media" ? media ?? scopes : scopes
        let now = self.options.now()
        return try self.withState { state throws(APIFailure) in
            do throws(ProviderState.BearerRefusal) {
                let token = try state.bearer(request, anyOf: scopes)
                guard let account = state.account(token.authorization.subject) else { throw .invalidToken }
                return APICall(
                    request: request,
                    parameters: parameters,
                    clientID: token.authorization.clientID,
                    account: account,
                    accounts: self.options.accounts,
                    scopes: Set(scopes).intersection(token.authorization.scopes),
                    baseURL: state.baseURL,
                    pictureURL: state.pictureURL(of: account),
                    fault: fault,
                    now: now
                )
            } catch {
                throw state.failure(error, service: service)
            }
        }
    }
}
#endif
