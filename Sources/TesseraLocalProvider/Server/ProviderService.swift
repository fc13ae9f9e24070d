// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The sign-in's state and the two APIs behind a provider's routes.
final class ProviderService: Sendable {
    let options: LocalProviderOptions
    let drive: DriveService
    let gmail: GmailService
    private let state: Mutex<ProviderState>

    init(options: LocalProviderOptions) throws {
        self.options = options
        self.state = Mutex(try ProviderState(options: options))
        self.drive = try DriveService(options: options)
        self.gmail = GmailService(options: options)
    }

    func withState<Value: Sendable, Failure: Error>(
        _ body: (inout ProviderState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = self.now()
        return try self.state.withLock { state throws(Failure) in
            state.now = now
            return try body(&state)
        }
    }

    func now() -> Int64 {
        Int64(exactly: max(-1e12, min(1e12, self.options.now().timeIntervalSince1970)).rounded(.down)) ?? 0
    }

    /// Whether a request means this server: a page elsewhere whose name was made to point here must not reach it.
    func isOurs(_ host: String?) -> Bool {
        guard let host else { return false }
        if ["0.0.0.0", "::"].contains(self.options.host) { return true }
        let authority = self.withState { $0.baseURL }.drop { $0 != "/" }.dropFirst(2)
        let port = authority.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let ours = [String(authority), "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        return ours.contains(host.lowercased())
    }

    /// Reads a call to an API and checks that its token has one of `scopes`, or of `media` for the bytes of a file.
    ///
    /// `fields` is the method's field mask unless the call names one; nil for a method without.
    func apiCall(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        media: [String]? = nil,
        fields: String?,
        service: String,
        _ fault: LocalProviderOptions.DriveFault = .none
    ) throws(APIFailure) -> APICall {
        guard let parameters = try? FormParameters(received: request.query) else {
            throw .badRequest("The query is not well-formed.")
        }
        let isMedia = media != nil && parameters["alt"] == "media"
        let scopes = isMedia ? media ?? scopes : scopes
        let now = self.options.now()
        var call = try self.withState { state throws(APIFailure) in
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
        if let fields, !isMedia { call.mask = try FieldMask(parameters["fields"] ?? fields) }
        return call
    }
}

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
    /// The part of a resource that the response contains.
    var mask = FieldMask.everything

    /// The identifier of the file, message, thread, label or draft that the address names.
    var id: String { self.request.parameter("id") }
    var itemID: String? { self.request.pathParameters["id"] }

    /// The response that the field mask of the call leaves.
    func response(_ node: JSONNode) -> EndpointResponse { .json(self.mask.applied(to: node)) }

    /// A page of `items`, and the token of the next one.
    ///
    /// `question` identifies the list; a token is valid only for the same question.
    func page<Item>(
        _ items: [Item],
        size: (name: String, limit: Int),
        _ question: String,
        invalidToken: @autoclosure () -> APIFailure = .invalid("pageToken")
    ) throws(APIFailure) -> (items: ArraySlice<Item>, next: String?) {
        let size = try self.parameters.number(size.name, in: 1...size.limit) ?? 100
        guard let start = PageToken.start(self.parameters["pageToken"], question) else { throw invalidToken() }
        let page = items.dropFirst(start).prefix(size)
        let end = start + page.count
        return (page, end < items.count ? PageToken.text(end, question) : nil)
    }
}
#endif
