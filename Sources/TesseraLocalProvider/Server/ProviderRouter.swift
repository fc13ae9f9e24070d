// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import TesseraOAuth
internal import TesseraSupport

/// The context of a request, with its connection and fault.
struct ProviderRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, which a fault can close, or `nil` for a part of a batch.
    let channel: (any Channel)?
    var driveFault = LocalProviderOptions.DriveFault.none

    init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }

    /// Creates a context for a request without a connection.
    init() {
        self.coreContext = CoreRequestContextStorage(source: NoSource())
        self.channel = nil
    }

    private struct NoSource: RequestContextSource {
        let logger = Logger(label: "tessera.local-provider") { _ in SwiftLogNoOpLogHandler() }
    }
}

/// The provider's routes and the middleware that runs before them.
@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
struct ProviderRouter: HTTPResponder {
    private let routes: RouterResponder<ProviderRequestContext>
    /// The handler of requests for Google's hosts, or `nil` if there are no cloud endpoints.
    private let cloud: CloudGate?

    init(_ service: ProviderService) {
        let router = Router(context: ProviderRequestContext.self)
        router.add(middleware: HostCheck(service: service))
        router.add(middleware: DriveFaults(service: service))
        router.add(middleware: UnknownAddresses())
        let endpoints = service.options.cloud == nil ? Endpoint.all : Endpoint.all + Endpoint.cloud
        for endpoint in endpoints { endpoint.addRoutes(to: router, service) }
        service.drive.addRoutes(to: router, service)
        service.gmail.addRoutes(to: router, service)
        service.calendar.addRoutes(to: router, service)
        let calls = Self(routes: router.buildResponder())
        Batch.addRoutes(to: router, service.options, respondedBy: calls)
        self.routes = router.buildResponder()
        self.cloud = service.options.cloud.map { _ in CloudGate(service: service) }
    }

    private init(routes: RouterResponder<ProviderRequestContext>) { (self.routes, self.cloud) = (routes, nil) }

    func respond(to request: Request, context: ProviderRequestContext) async throws -> Response {
        var head = request.head
        let isHead = head.method == .head
        if isHead { head.method = .get }
        let request = try await Request(head: head, body: request.body).unfolded
        let cloudResponse = try await self.cloud?.response(to: request, context, routes: self.routes)
        let response =
            if let cloudResponse { cloudResponse } else {
                try await self.routes.respond(to: request, context: context)
            }
        return isHead ? response.createHeadResponse() : response
    }

    /// Returns the response to a request without a connection, such as a part of a batch.
    func response(_ request: ProviderRequest) async -> ProviderResponse {
        var head = request.head
        head.headerFields[.contentLength] = String(request.body.count)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
        do {
            let response = try await self.respond(to: request, context: ProviderRequestContext())
            return await ProviderResponse(collecting: response)
        } catch {
            return .lost
        }
    }
}

extension Request {
    /// The request itself, or the GET request that it contains if it was sent as a form because the URL would be too
    /// long.
    fileprivate var unfolded: Request {
        get async throws {
            guard self.method == .post, self.headers[named: "X-HTTP-Method-Override"]?.uppercased() == "GET",
                self.headers[.contentType]?.fieldValue == "application/x-www-form-urlencoded", self.uri.query == nil,
                DriveService.isDrive(self.uri.path) || GmailService.isGmail(self.uri.path)
                    || CalendarService.isCalendar(self.uri.path)
            else { return self }
            let limit = GmailService.isGmail(self.uri.path) ? 48 << 20 : 256 << 10
            let form = String(decoding: try await self.wholeBody(upTo: limit), as: UTF8.self)
            var head = self.head
            head.method = .get
            head.path = "\(self.uri.path)?\(form)"
            return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        }
    }
}

private protocol ProviderMiddleware: RouterMiddleware where Context == ProviderRequestContext {
    typealias Next = @concurrent (Request, ProviderRequestContext) async throws -> Response
}

/// Rejects requests for other hosts and calls ``LocalProviderOptions/Behavior/beforeResponse``.
private struct HostCheck: ProviderMiddleware {
    let service: ProviderService

    func handle(_ request: Request, context: ProviderRequestContext, next: Next) async throws -> Response {
        guard self.service.isOurs(request.head.authority) else {
            let text = "This provider only accepts requests for \(self.service.withState { $0.baseURL })."
            return try ProviderResponse.text(text, status: .misdirectedRequest)
                .response(from: request, context: context)
        }
        if let hook = self.service.withState({ $0.behavior.beforeResponse }) { await hook(request.uri.path) }
        return try await next(request, context)
    }
}

/// Applies one fault to each Drive request.
private struct DriveFaults: ProviderMiddleware {
    let service: ProviderService

    func handle(_ request: Request, context: ProviderRequestContext, next: Next) async throws -> Response {
        guard DriveService.isDrive(request.uri.path) else { return try await next(request, context) }
        var context = context
        let fault = self.service.withState { state in
            state.behavior.driveFaults.isEmpty ? .none : state.behavior.driveFaults.removeFirst()
        }
        context.driveFault = fault
        // Upload sessions apply their faults themselves because they may accept a part of the body first.
        if DriveService.session(request) != nil { return try await next(request, context) }
        if let failure = DriveService.failure(fault) { throw failure }
        if case .broken = fault { throw LostResponse() }
        let response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        switch fault {
        case .lostResponse: throw LostResponse()
        case .truncatedResponse(let count): return response.cut(after: Int(clamping: count), context)
        default: return response
        }
    }
}

/// Returns the error of the API to which an unknown address belongs.
private struct UnknownAddresses: ProviderMiddleware {

    func handle(_ request: Request, context: ProviderRequestContext, next: Next) async throws -> Response {
        let path = request.uri.path
        do {
            // The router ignores empty path components, but each address must have a single spelling.
            guard path == "/" || !path.hasSuffix("/") && !path.contains("//") else { throw HTTPError(.notFound) }
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            if DriveService.isDrive(path) { throw DriveService.unknownMethod }
            if GmailService.isGmail(path) { throw GmailService.unknownMethod }
            if CalendarService.isCalendar(path) { throw CalendarService.unknownMethod }
            return try ProviderResponse.text("There is no page at this address.", status: .notFound)
                .response(from: request, context: context)
        }
    }
}

/// A sign-in endpoint or page, which is a function of the provider's state and a request.
struct Endpoint: Sendable {
    let methods: [HTTPRequest.Method]
    let paths: [String]
    let respond: @Sendable (inout ProviderState, ProviderRequest) throws -> ProviderResponse

    init(
        _ methods: [HTTPRequest.Method],
        _ paths: String...,
        respond: @escaping @Sendable (inout ProviderState, ProviderRequest) throws -> ProviderResponse
    ) {
        self.methods = methods
        self.paths = paths
        self.respond = respond
    }

    static let all = Self.pem + Self.common

    private static let common = [
        Self([.get], "/") { state, _ in state.welcome() },
        Self([.get], "/favicon.svg", "/favicon.ico") { state, _ in state.icon() },
        Self([.get], "/avatars/{subject}.svg") { state, request in state.avatar(request.parameter("subject")) },
        Self([.get], "/.well-known/openid-configuration") { state, _ in state.discovery() },
        Self([.get], "/oauth2/v3/certs") { state, _ in state.certificates() },
        Self([.get, .post], "/o/oauth2/v2/auth", "/o/oauth2/auth") { try $0.authorization($1) },
        Self([.post], "/o/oauth2/v2/auth/account") { try $0.accountChoice($1) },
        Self([.post], "/o/oauth2/v2/auth/consent") { try $0.consent($1) },
        Self([.post], "/token", "/oauth2/v4/token") { try $0.token($1) },
        Self([.post], "/revoke", "/o/oauth2/revoke") { try $0.revocation($1) },
        Self([.get, .post], "/tokeninfo", "/oauth2/v3/tokeninfo") { try $0.tokenInformation($1) },
        Self([.get, .post], "/v1/userinfo", "/oauth2/v3/userinfo") { try $0.userInformation($1) },
    ]

    #if LocalProviderTLS
    private static let pem = [Self([.get], "/oauth2/v1/certs") { state, _ in state.pemCertificates() }]
    #else
    private static let pem: [Self] = []
    #endif

    /// The response to a request with any other method.
    var refusal: ProviderResponse { .methodNotAllowed(self.methods.map(\.rawValue).joined(separator: ", ")) }

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        for path in self.paths.map({ RouterPath($0) }) {
            for method in self.methods {
                router.on(path, method: method) { request, context -> ProviderResponse in
                    let request = try await ProviderRequest(request, context, limit: 256 << 10)
                    let response = try service.withState { state in try self.respond(&state, request) }
                    // The task sleeps until the server stops and cancels it.
                    if response.isHeld { try await Task.sleep(for: .seconds(86_400)) }
                    return response
                }
            }
            router.refuseOtherMethods(than: self.methods, path, self.refusal)
        }
    }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension Router<ProviderRequestContext> {
    /// Adds routes that reject the methods not supported at an address.
    func refuseOtherMethods(than methods: [HTTPRequest.Method], _ path: RouterPath, _ refusal: ProviderResponse) {
        for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete, .options] where !methods.contains(method) {
            self.on(path, method: method) { _, _ in refusal }
        }
    }
}
/// A channel handler that changes the `Date` field in responses for tests.
///
/// The handler changes the outgoing response, because the server adds this field last.
final class DateOffset: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let seconds: @Sendable () -> Int

    init(_ seconds: @escaping @Sendable () -> Int) { self.seconds = seconds }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = self.unwrapOutboundIn(data), self.seconds() != 0 else {
            return context.write(data, promise: promise)
        }
        let time = Date().timeIntervalSince1970 + Double(self.seconds())
        head.headerFields[.date] = HTTPDate.text(secondsSince1970: time)
        context.write(self.wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
