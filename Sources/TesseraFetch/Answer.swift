// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A response, its body, its status, which is text in the response and read once, and the token that it answers.
struct Answer {
    let response: HTTPResponse
    var body: HTTPBody
    let status: Int
    /// Nil for an answer that an interceptor made.
    let token: AccessToken?
    /// What came with a token that is bound to a key.
    var proof: Secret?
    /// Whether it came from where a redirect led, out of the origin: nothing that it says is about the token.
    var isForeign = false

    init(_ answer: (HTTPResponse, HTTPBody), to token: AccessToken?) {
        (self.response, self.body) = answer
        self.status = answer.0.status.code
        self.token = token
    }

    /// An API may repeat the token that it refuses, and the proof beside it.
    var secrets: CarriedSecrets { CarriedSecrets([self.token?.secret, self.proof]) }

    /// The error of a status that is no success.
    func failure(at date: Date, _ settings: FetchSettings) async -> any Error {
        let secrets = self.secrets
        if let failure = settings.failure {
            return failure(self.response, (try? await self.body.collect(upTo: 1 << 20)) ?? [], secrets)
        }
        if let challenge = BearerChallenge(self.response) { return challenge.without(secrets) }
        let wait = self.response.retryAfter(at: date)
        return HTTPStatusError(
            status: self.status,
            endpoint: "API",
            retryAfter: wait.map { Int(clamping: $0.components.seconds) }
        )
    }
}
