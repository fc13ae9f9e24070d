// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraSupport

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import HTTPTypes

extension ProviderState {
    /// The client that proved itself, by Basic or in the form, never by both (RFC 6749, section 2.3.1).
    func authenticatedClient(
        _ request: EndpointRequest,
        _ form: FormParameters
    ) throws(TokenFailure) -> LocalProviderClient {
        if let refusal = self.behaviour.refreshRefusal, refusal.isOfClient { throw refusal.failure }
        guard let header = request.headers[.authorization] else {
            guard let id = form["client_id"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Could not determine client ID from request.")
            }
            guard let client = self.client(id) else { throw Self.unknownClient(challenge: nil) }
            guard let secret = form["client_secret"] else {
                throw TokenFailure(code: "invalid_request", explanation: "client_secret is missing.")
            }
            guard Self.isEqual(secret, client.secret) else { throw Self.wrongSecret(challenge: nil) }
            return client
        }
        let challenge = "Basic realm=\"\(self.baseURL)\""
        guard form["client_secret"] == nil else {
            throw TokenFailure(code: "invalid_request", explanation: "Use one way of client authentication, not two.")
        }
        guard let (id, secret) = Self.basicCredentials(header), let client = self.client(id) else {
            throw Self.unknownClient(challenge: challenge)
        }
        guard form["client_id"] == nil || form["client_id"] == id else {
            throw TokenFailure(code: "invalid_request", explanation: "The request names two different clients.")
        }
        guard Self.isEqual(secret, client.secret) else { throw Self.wrongSecret(challenge: challenge) }
        return client
    }

    private static func unknownClient(challenge: String?) -> TokenFailure {
        TokenFailure(
            code: "invalid_client",
            explanation: "The OAuth client was not found.",
            status: .unauthorized,
            challenge: challenge
        )
    }

    private static func wrongSecret(challenge: String?) -> TokenFailure {
        TokenFailure(
            code: "invalid_client",
            explanation: "The provided client secret is invalid.",
            status: .unauthorized,
            challenge: challenge
        )
    }

    private static func isEqual(_ left: String, _ right: String) -> Bool {
        SHA256.hash(data: Array(left.utf8)) == SHA256.hash(data: Array(right.utf8))
    }

    private static func basicCredentials(_ header: String) -> (id: String, secret: String)? {
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: words[1].trimmed),
            let text = String(wellFormedUTF8: decoded)
        else { return nil }
        let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let id = Self.formDecoded(sides[0]), let secret = Self.formDecoded(sides[1]) else {
            return nil
        }
        return (id, secret)
    }

    private static func formDecoded(_ text: Substring) -> String? {
        (try? FormParameters(
            decoding: "v="
                + text.split(separator: "&", omittingEmptySubsequences: false)
                .joined(separator: "%26")
        ))?
        .pairs.first?
        .value
    }
}
#endif
