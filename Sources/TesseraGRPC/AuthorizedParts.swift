// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore

/// The parts of an answer, whose end may be a refusal too.
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
