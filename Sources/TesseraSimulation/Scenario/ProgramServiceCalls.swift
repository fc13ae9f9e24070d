// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// Calls of ``SimulatedService``, each with other settings.
extension ProgramFetches {
    /// Calls an API that often asks the client to wait.
    func throttledCall(_ use: Use) async throws {
        let method: HTTPRequest.Method = self.chance(50) ? .get : .post
        var (request, call) = try self.request("/service/throttled", use, method: method)
        let (limit, attempts, deadline) = self.state.withLock { state in
            (state.random.chance(10) ? 4 : 1 << 16, 1 + state.random.below(6), 30 + state.random.below(120))
        }
        let backoff = Backoff(cap: .seconds(8), attempts: attempts, deadline: .seconds(deadline))
        var options = CallOptions()
        if method == .post {
            switch self.pick([0, 1, 2, 3, 4]) {
            case 0: request.headerFields[.ifMatch] = "\"\(call)\""
            case 1: request.headerFields[.ifMatch] = "*"
            case 2: request.headerFields[HTTPField.Name("Idempotency-Key") ?? .ifMatch] = "\(call)"
            case 3: options.isIdempotent = true
            default: break
            }
        }
        let fetcher: AuthorizedFetcher
        switch self.pick([0, 1, 2]) {
        case 0: fetcher = self.fetcher(use, FetchSettings(backoff: backoff))
        case 1:
            options.backoff = backoff
            fetcher = use.session.fetcher
        default:
            // Without another attempt, the fetcher does not use a clock.
            fetcher = AuthorizedFetcher(
                use.session,
                transport: use.process.runtime.transport,
                settings: FetchSettings(backoff: .once)
            )
        }
        let body = method == .post ? HTTPBody("{}") : nil
        self.check(try await fetcher.data(for: request, body: body, upTo: limit, options: options), of: call)
    }

    /// Calls an API that refuses most requests for different reasons, which the program reads.
    func deniedCall(_ use: Use) async throws {
        let (request, call) = try self.request("/service/denied", use)
        var settings = FetchSettings(backoff: Backoff(attempts: 3))
        if self.chance(70) { settings.retryPolicy = ReasonPolicy() }
        if self.chance(50) {
            settings.failure = { response, body, _ in
                ServiceError(status: response.status.code, reason: String(decoding: body.prefix(100), as: UTF8.self))
            }
        }
        let fetcher = self.fetcher(use, settings)
        guard self.chance(70) else {
            let (_, body) = try await fetcher.opened(request, options: CallOptions())
            return self.check(try await body.collect(upTo: 1 << 16), of: call)
        }
        self.check(try await fetcher.data(for: request), of: call)
    }

    /// Calls an API that redirects in different ways.
    func movedCall(_ use: Use) async throws {
        let method: HTTPRequest.Method = self.pick([.get, .get, .get, .get, .head, .post])
        var (request, call) = try self.request("/service/moved", use, method: method)
        if self.chance(20) { request.path = nil }
        let policies: [RedirectPolicy] = [.sameOrigin, .sameOrigin, .anywhere, .none]
        let fetcher = self.fetcher(use, FetchSettings(redirects: self.pick(policies)))
        let bytes = try await fetcher.data(for: request, body: method == .post ? HTTPBody("{}") : nil)
        if method == .get, request.path != nil { self.check(bytes, of: call) }
    }

    /// Calls an API with a proof that the process has the key of the token.
    func boundCall(_ use: Use) async throws {
        let isPost = self.chance(40)
        let (request, call) = try self.request("/service/bound", use, method: isPost ? .post : .get)
        let prover = DPoPProver(
            DPoPKey(SimulatedKeys.key(after: use.process.id)),
            nonces: self.shared(by: use.process).nonces,
            runtime: self.runtime(of: use.process)
        )
        let tokens = BoundTokens(session: use.session, prover: prover)
        let fetcher = AuthorizedFetcher(tokens, runtime: self.runtime(of: use.process))
        let rest = Mutex<[UInt8]?>(Array("{}".utf8))
        let once = HTTPBody(length: 2, isReplayable: false) { { rest.withLock { $0.take() } } }
        let body = self.chance(50) ? HTTPBody("{}") : once
        self.check(try await fetcher.data(for: request, body: isPost ? body : nil), of: call)
    }

    /// Calls a URL that the user has entered, with tokens for an origin in a configuration.
    ///
    /// The user can have made a mistake in either.
    func configuredCall(_ use: Use) async throws {
        let (host, call) = (use.host, self.nextCall())
        let (text, url, isAuthorized) = self.pick([
            ("https://\(host)", "https://\(host)", true),
            ("https://\(host.uppercased())/", "https://\(host):443", true),
            ("https://\(host)", "https://\(host.uppercased())", true),
            ("https://*.\(host)", "https://eu.\(host)", true),
            ("https://*.\(host)", "https://\(host)", false), ("https://\(host)", "https://eu.\(host)", false),
            ("https://\(host)", "https://\(host):8443", false), ("https://\(host)", "http://\(host)", false),
            ("http://127.0.0.1:8080", "http://127.0.0.1", false),
        ])
        let isUsual = self.chance(60)
        let origins = isUsual ? [try OriginPattern(text)] : try self.mistakenOrigins(text, use)
        let page = "/service/page?call=\(call)"
        let request = isUsual ? try HTTPRequest(url: url + page) : try self.mistakenRequest(url, page, use)
        let fetcher = AuthorizedFetcher(
            ConfiguredTokens(session: use.session, authorizedOrigins: origins),
            runtime: self.runtime(of: use.process),
            settings: FetchSettings(limiter: self.shared(by: use.process).limiter)
        )
        do {
            self.check(try await fetcher.data(for: request), of: call)
        } catch let error as UnauthorizedOriginError where isUsual && isAuthorized {
            self.simulation.report(.everyWaiterGetsAResult, "call \(call) to \(url) was not sent to \(text)")
            throw error
        }
        if isUsual, !isAuthorized {
            self.simulation.report(.onlyAuthorizedOrigins, "call \(call) was sent to \(url), not only to \(text)")
        }
    }

    /// Returns the origins of a configuration that can be wrong.
    private func mistakenOrigins(_ valid: String, _ use: Use) throws -> [OriginPattern] {
        let (host, known) = (use.host, try self.simulation.provider.provider(use.issuer))
        switch self.pick(Array(0..<10)) {
        case 0: return Provider(issuer: known.issuer, client: known.client).authorizedOrigins
        case 1: return []
        case 2...5:
            let texts = [
                "https://*.example", "https://*.127.0.0.1", "http://\(host)", "https://\(host)/v1",
                "https://*.*.\(host)", "https://user@\(host)", host,
            ]
            return [try OriginPattern(self.pick(texts))]
        default: return [try OriginPattern(valid)]
        }
    }

    /// Returns a request to a URL that can be wrong.
    private func mistakenRequest(_ origin: String, _ page: String, _ use: Use) throws -> HTTPRequest {
        let host = use.host
        return switch self.pick(Array(0..<6)) {
        case 0: try HTTPRequest(url: origin + page + " ")
        case 1: try HTTPRequest(url: host + page)
        case 2: HTTPRequest(method: .get, scheme: nil, authority: nil, path: page)
        case 3: HTTPRequest(method: .get, scheme: "https", authority: "a..\(host)", path: page)
        case 4: HTTPRequest(method: .get, scheme: "https", authority: host, path: page + "&access_token=1")
        default: try HTTPRequest(url: origin + page)
        }
    }

    /// Makes a call that interceptors change or respond to.
    func interceptedCall(_ use: Use) async throws {
        let (request, call) = try self.request("/service/page", use)
        let answer = Array(#"{"call": \#(call)}"#.utf8)
        let interceptor = AnsweringInterceptor(
            answer: self.chance(30) ? answer : nil,
            authority: self.chance(20) ? "elsewhere.example" : nil
        )
        let settings = FetchSettings(interceptors: [FieldInterceptor(), interceptor])
        self.check(try await use.session.fetcher(settings: settings).data(for: request), of: call)
    }
}

/// Tokens of a session that are bound to a key.
private struct BoundTokens: AccessTokenSource {
    let session: OAuthSession
    let prover: DPoPProver

    var authorizedOrigins: [OriginPattern] { self.session.authorizedOrigins }

    func accessToken() async throws -> AccessToken { self.bound(try await self.session.accessToken()) }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        self.bound(try await self.session.replacement(forRejected: token))
    }

    private func bound(_ token: AccessToken) -> AccessToken {
        AccessToken(token.secret, dpop: self.prover, expiresAt: token.expiresAt)
    }
}

/// Tokens of a session that may be sent to the origins in a configuration.
private struct ConfiguredTokens: AccessTokenSource {
    let session: OAuthSession
    let authorizedOrigins: [OriginPattern]

    func accessToken() async throws -> AccessToken { try await self.session.accessToken() }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.session.replacement(forRejected: token)
    }
}

/// A policy that retries a call if the body of the error names a temporary reason.
private struct ReasonPolicy: RetryPolicy {
    func readsBody(of response: HTTPResponse) -> Bool { response.status == .forbidden }

    func decision(for failure: CallFailure) -> RetryDecision {
        guard case .response(_, let body?) = failure.cause else { return StandardRetryPolicy().decision(for: failure) }
        return String(decoding: body, as: UTF8.self).contains("rateLimitExceeded")
            ? .retry(notBefore: .seconds(1)) : .fail
    }
}

/// An error of ``SimulatedService``, with its reason.
private struct ServiceError: Error {
    let status: Int
    let reason: String
}

/// Adds a field to each request.
private struct FieldInterceptor: FetchInterceptor {
    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody) {
        var request = request
        request.headerFields[.userAgent] = "program"
        return try await next(request, body)
    }
}

/// Responds to calls from a cache, or sends them to another host.
private struct AnsweringInterceptor: FetchInterceptor {
    let answer: [UInt8]?
    let authority: String?

    func intercept(
        _ request: HTTPRequest,
        body: HTTPBody?,
        next: FetchChain
    ) async throws -> (HTTPResponse, HTTPBody) {
        if let answer { return (HTTPResponse(status: .ok), HTTPBody(answer)) }
        var request = request
        if let authority { request.authority = authority }
        return try await next(request, body)
    }
}
