// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// Makes a call once: in its turn, through the interceptors, with a token or, where the URL is one itself, without.
    func attempt(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions,
        hasToken: Bool = true
    ) async throws -> Answer {
        let host = request.authority ?? ""
        let turn = try await self.settings.limiter?.enter(host, priority: options.priority)
        var answer =
            self.settings.interceptors.isEmpty
            ? try await self.answer(to: request, body, hasToken: hasToken)
            : try await self.intercepted(request, body, hasToken: hasToken)
        if let turn {
            answer.body = HTTPBody(length: answer.body.length, source: HeldBody(answer.body, turn))
        }
        return answer
    }

    private func intercepted(_ request: HTTPRequest, _ body: HTTPBody?, hasToken: Bool) async throws -> Answer {
        let sent = LastAnswer()
        let made = try await self.sending(past: 0, sent, hasToken: hasToken)(request, body)
        let last = sent.answer.withLock { $0 }
        var answer = Answer(made, to: last?.token)
        answer.proof = last?.proof
        return answer
    }

    private func sending(
        past index: Int,
        _ sent: LastAnswer,
        hasToken: Bool
    ) -> FetchChain {
        guard index < self.settings.interceptors.count else {
            return FetchChain { request, body in
                let answer = try await self.answer(to: request, body, hasToken: hasToken)
                sent.answer.withLock { $0 = answer }
                return (answer.response, answer.body)
            }
        }
        let interceptor = self.settings.interceptors[index]
        let next = self.sending(past: index + 1, sent, hasToken: hasToken)
        return FetchChain { request, body in try await interceptor.intercept(request, body: body, next: next) }
    }

    private func answer(to request: HTTPRequest, _ body: HTTPBody?, hasToken: Bool) async throws -> Answer {
        try self.check(request)
        guard hasToken else { return Answer(try await self.transport.send(request, body: body), to: nil) }
        let token = try await self.token { try await $0.accessToken() }
        if token.dpop != nil { return try await self.answer(to: request, body, bound: token) }
        let answer = try await self.answer(to: request, body, token)
        guard answer.status == 401, !answer.isForeign else { return answer }
        guard BearerChallenge(answer.response)?.isInsufficientScope != true else { return answer }
        let newer = try await self.token { try await $0.refused(token) }
        // The source knows now, also when this body cannot be sent again: the caller's own next try gets a fresh token.
        guard newer != token, body?.isReplayable ?? true else { return answer }
        await Self.drain(answer.body)
        return try await self.answer(to: request, body, newer)
    }

    private func answer(to request: HTTPRequest, _ body: HTTPBody?, _ token: AccessToken) async throws -> Answer {
        var request = request
        if request.headerFields.isEmpty {
            request.headerFields = token.fields
        } else {
            request.headerFields[fields: .authorization] = Array(token.fields)
        }
        var answer = Answer(try await self.transport.send(request, body: body), to: token)
        var redirects = 0
        while 300...399 ~= answer.status, redirects < self.settings.redirects.limit,
            let redirect = Redirect(of: answer.response, to: request, self.settings.redirects)
        {
            redirects += 1
            request = redirect.request
            let isForeign = answer.isForeign || redirect.leavesOrigin
            await Self.drain(answer.body)
            answer = Answer(try await self.transport.send(request, body: nil), to: token)
            answer.isForeign = isForeign
        }
        return answer
    }

    /// What the source gives; what it throws is not the network's failure.
    func token(_ ask: (any AccessTokenSource) async throws -> AccessToken) async throws -> AccessToken {
        do { return try await ask(self.source) } catch { throw TokenUnavailable(cause: error) }
    }

    /// Throws for a request that must not be sent: to an origin that is not authorized, or with a token in its URL.
    func check(_ request: HTTPRequest) throws {
        let origins = self.source.authorizedOrigins
        let (scheme, authority) = (request.scheme, request.authority)
        guard origins.contains(where: { $0.contains(scheme: scheme, authority: authority) }) else {
            throw OriginRefused(
                origin: "\(scheme ?? "?")://\(authority ?? "?")",
                authorizedOrigins: origins
            )
        }
        // RFC 9700, section 4.3.2: a token in a URL ends up in logs and histories.
        if let path = request.path, Self.namesAccessToken(path) {
            throw InvalidRequest("access_token", reason: "a token does not belong into a URL")
        }
    }

    /// Whether the query has a parameter of that name; over bytes, since every call asks.
    private static func namesAccessToken(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { path in
            path.indices.contains { index in
                (path[index] == UInt8(ascii: "?") || path[index] == UInt8(ascii: "&"))
                    && path[(index + 1)...].starts(with: "access_token=".utf8)
            }
        }
    }
}

/// The answer that came from the network, for those who see what interceptors made of it.
private final class LastAnswer: Sendable {
    let answer = Mutex<Answer?>(nil)
}
