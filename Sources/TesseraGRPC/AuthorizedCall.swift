// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// A call that was sent, and the token that went with it.
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
struct AuthorizedCall: Sendable {
    let token: AccessToken
    let source: any AccessTokenSource
    /// The call as HTTP, with the token and its proof.
    private let request: HTTPRequest

    init(_ request: HTTPRequest, _ source: any AccessTokenSource) async throws {
        var request = request
        do {
            self.token = try await source.accessToken()
            try self.token.authorize(&request)
        } catch {
            throw RPCError(noToken: error)
        }
        self.source = source
        self.request = request
    }

    /// Puts the token and its proof into a call's metadata.
    func authorize(_ metadata: inout Metadata) {
        for field in self.request.headerFields {
            metadata.replaceOrAddString(field.value, forKey: field.name.canonicalName)
        }
    }

    /// Takes the nonce for the next proof from what the server sent.
    ///
    /// - Returns: The fields that decide what may help after a refusal, and whether there is a nonce.
    @discardableResult
    func learn(from metadata: Metadata) -> (refusal: HTTPResponse, hasNonce: Bool) {
        var response = HTTPResponse(status: .unauthorized)
        for name in [HTTPField.Name.wwwAuthenticate, .dpopNonce] {
            for value in metadata[stringValues: name.canonicalName] {
                response.headerFields.append(HTTPField(name: name, value: value))
            }
        }
        return (response, self.token.learn(from: response, to: self.request))
    }

    /// Returns the caller's error for a status that is not a success, after the source has learned of a refused token.
    func failure(_ failure: RPCError) async -> RPCError {
        let error = self.withoutToken(failure)
        let (refusal, hasNonce) = self.learn(from: failure.metadata)
        guard error.code == .unauthenticated, self.token.remedy(for: refusal, hasNonce: hasNonce) == .token else {
            return error
        }
        do {
            _ = try await self.source.refused(self.token)
            return error
        } catch {
            return RPCError(noToken: error)
        }
    }

    /// A server may repeat the token and the proof that it refuses.
    private func withoutToken(_ error: RPCError) -> RPCError {
        let secrets = [self.token.secret] + self.request.headerFields[values: .dpop].map { Secret($0) }
        func cleaned(_ text: String) -> String { secrets.reduce(text) { $1.removed(from: $0) } }
        var error = error
        error.message = cleaned(error.message)
        error.metadata = Metadata(
            error.metadata.compactMap { key, value in
                switch value {
                case .string(let text):
                    return (key: key, value: .string(cleaned(text)))
                case .binary(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    return cleaned(text) == text ? (key: key, value: value) : nil
                }
            }
        )
        return error
    }
}

@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
extension RPCError {
    /// Creates the error of a call for which there is no token.
    init(noToken error: any Error) {
        switch error {
        case is CancellationError:
            self.init(code: .cancelled, message: "The call was cancelled while it waited for a token", cause: error)
        case let error as any ErrorGuidance:
            let code: RPCError.Code = error.isRetryable ? .unavailable : .unauthenticated
            self.init(code: code, message: "\(error). \(error.recoverySuggestion ?? "")", cause: error)
        default:
            self.init(code: .unauthenticated, message: "The source has no token", cause: error)
        }
    }
}

/// The parts of a response, which may end as refused.
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
struct AuthorizedParts<Part: Sendable>: AsyncSequence, Sendable {
    let parts: RPCAsyncSequence<Part, any Error>
    let call: AuthorizedCall

    func makeAsyncIterator() -> Iterator { Iterator(parts: self.parts.makeAsyncIterator(), call: self.call) }

    struct Iterator: AsyncIteratorProtocol {
        var parts: RPCAsyncSequence<Part, any Error>.AsyncIterator
        let call: AuthorizedCall

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Part? {
            do {
                return try await self.parts.next(isolation: actor)
            } catch let error as RPCError {
                throw await self.call.failure(error)
            }
        }
    }
}
#endif
