// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

/// A call together with the token it was sent with.
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
struct AuthorizedCall: Sendable {
    let token: AccessToken
    let source: any AccessTokenSource
    /// The call as an HTTP request that includes the token and its proof.
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

    /// Adds the token and its proof to the metadata of a call.
    func authorize(_ metadata: inout Metadata) {
        for field in self.request.headerFields {
            metadata.replaceOrAddString(field.value, forKey: field.name.canonicalName)
        }
    }

    /// Updates the nonce for the next proof from the server's metadata.
    ///
    /// - Returns: The header fields that determine how to respond to a rejected token, and whether there is a nonce.
    @discardableResult
    func updateNonce(from metadata: Metadata) -> (refusal: HTTPResponse, hasNonce: Bool) {
        var response = HTTPResponse(status: .unauthorized)
        for name in [HTTPField.Name.wwwAuthenticate, .dpopNonce] {
            for value in metadata[stringValues: name.canonicalName] {
                response.headerFields.append(HTTPField(name: name, value: value))
            }
        }
        return (response, self.token.updateNonce(from: response, to: self.request))
    }

    /// Returns the error for the caller, after reporting a rejected token to the source.
    func failure(_ failure: RPCError) async -> RPCError {
        let error = self.withoutToken(failure)
        let (refusal, hasNonce) = self.updateNonce(from: failure.metadata)
        guard error.code == .unauthenticated, self.token.remedy(for: refusal, hasNonce: hasNonce) == .token else {
            return error
        }
        do {
            _ = try await self.source.replacement(forRejected: self.token)
            return error
        } catch {
            return RPCError(noToken: error)
        }
    }

    /// Removes the token and the proof from an error, because a server may repeat them.
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
    /// Creates the error for a call that could not get a token.
    init(noToken error: any Error) {
        switch error {
        case is CancellationError:
            self.init(code: .cancelled, message: "The call was canceled while it was waiting for a token", cause: error)
        case let error as any ErrorGuidance:
            let code: RPCError.Code = error.isRetryable ? .unavailable : .unauthenticated
            self.init(code: code, message: "\(error). \(error.recoverySuggestion ?? "")", cause: error)
        default:
            self.init(code: .unauthenticated, message: "No access token is available", cause: error)
        }
    }
}

/// The parts of a response, which may end because the server rejected the token.
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
