// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// A call with a token that is bound to a key: as with a bearer token, and with a new proof for each sending.
    ///
    /// At most one sending more for a nonce that the API demands, and at most one for a token that it refuses: neither
    /// counts as the other, and a demand for a nonce asks for no new token.
    ///
    /// - SeeAlso: [RFC 9449, sections 7 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-7)
    func answer(to original: HTTPRequest, _ originalBody: HTTPBody?, bound: AccessToken) async throws -> Answer {
        var (token, request, body, redirects) = (bound, original, originalBody, 0)
        var (mayTakeNonce, mayReplace, isForeign) = (true, true, false)
        while true {
            if !isForeign { try token.authorize(&request) }
            var answer = Answer(try await self.transport.send(request, body: body), to: token)
            answer.isForeign = isForeign
            answer.proof = HTTPField.Name("DPoP").flatMap { request.headerFields[$0] }.map { Secret($0) }
            let hasNonce = !isForeign && token.learn(from: answer.response, to: request)
            if redirects < self.settings.redirects.limit,
                let redirect = Redirect(of: answer.response, to: request, self.settings.redirects)
            {
                (redirects, request, body) = (redirects + 1, redirect.request, nil)
                isForeign = isForeign || redirect.leavesOrigin
            } else if isForeign {
                return answer
            } else if DPoPNonceDemand.isMade(by: answer.response) {
                guard hasNonce, mayTakeNonce, body?.isReplayable ?? true else { return answer }
                mayTakeNonce = false
            } else {
                guard answer.status == 401, mayReplace, BearerChallenge(answer.response)?.isInsufficientScope != true
                else {
                    return answer
                }
                let refused = token
                let newer = try await self.token { try await $0.refused(refused) }
                guard newer != token, originalBody?.isReplayable ?? true else { return answer }
                (token, request, body, redirects) = (newer, original, originalBody, 0)
                mayReplace = false
            }
            await Self.drain(answer.body)
        }
    }
}
