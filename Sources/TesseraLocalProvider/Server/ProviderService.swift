// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A provider's sign-in state and APIs.
final class ProviderService: Sendable {
    let options: LocalProviderOptions
    let drive: DriveService
    let gmail: GmailService
    let calendar = CalendarService()
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

    /// The host and port of the provider's URL.
    var ownAuthority: String { String(self.withState { $0.baseURL }.drop { $0 != "/" }.dropFirst(2)) }

    /// Returns whether a request is meant for this server.
    ///
    /// This check prevents DNS rebinding by websites.
    func isOurs(_ host: String?) -> Bool {
        guard let host else { return false }
        if ["0.0.0.0", "::"].contains(self.options.host) { return true }
        let authority = self.ownAuthority.lowercased()
        let port = authority.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let ours = [authority, "127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        return ours.contains(host.lowercased())
    }

    /// Parses an API call and verifies that its token has one of the `scopes`, or one of `media` for a download.
    ///
    /// The `fields` parameter is the method's default field mask, or `nil` if the method does not support field masks.
    func apiCall(
        _ request: ProviderRequest,
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

/// An authorized call to the Drive, Gmail or Calendar API.
struct APICall: Sendable {
    let request: ProviderRequest
    let parameters: FormParameters
    let clientID: String
    let account: LocalProviderAccount
    /// All of the provider's accounts.
    let accounts: [LocalProviderAccount]
    /// Those of the token's scopes that the method accepts.
    let scopes: Set<String>
    /// The provider's URL, which is used to form URLs in responses.
    let baseURL: String
    let pictureURL: String
    let fault: LocalProviderOptions.DriveFault
    var now: Date
    /// The part of a resource that the response includes.
    var mask = FieldMask.everything

    /// The ID of the file, message, thread, label, draft or event in the path.
    var id: String { self.request.parameter("id") }
    var itemID: String? { self.request.pathParameters["id"] }

    /// Returns a response with the fields that the call requested.
    func response(_ node: JSONNode) -> ProviderResponse { .json(self.mask.applied(to: node)) }

    /// Returns a page of `items` and the next page's token.
    ///
    /// The `question` identifies the list. A page token is valid only for the list that it was issued for.
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
