// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore
internal import Tessera
internal import TesseraOAuth

/// A call that was sent, and the token that went with it.
@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
struct AuthorizedCall: Sendable {
    let token: AccessToken
    let source: any AccessTokenSource

    /// What the caller gets for a status that is no success; by then the source knows of a refusal.
    func failure(_ error: RPCError) async -> RPCError {
        let error = self.withoutToken(error)
        guard error.code == .unauthenticated else { return error }
        do {
            _ = try await self.source.refused(self.token)
            return error
        } catch {
            return RPCError(noToken: error)
        }
    }

    /// A server may repeat the token that it refuses.
    private func withoutToken(_ error: RPCError) -> RPCError {
        let secret = self.token.secret
        var error = error
        error.message = secret.removed(from: error.message)
        error.metadata = Metadata(
            error.metadata.compactMap { key, value in
                switch value {
                case .string(let text):
                    return (key: key, value: .string(secret.removed(from: text)))
                case .binary(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    return secret.removed(from: text) == text ? (key: key, value: value) : nil
                }
            }
        )
        return error
    }
}

@available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
extension RPCError {
    /// There is no token for a call.
    init(noToken error: any Error) {
        switch error {
        case is CancellationError:
            self.init(code: .cancelled, message: "The call was cancelled while it waited for a token", cause: error)
        case let error as any ErrorGuidance:
            let code: RPCError.Code = error.retryCanHelp ? .unavailable : .unauthenticated
            self.init(code: code, message: "\(error). \(error.whatToDo)", cause: error)
        default:
            self.init(code: .unauthenticated, message: "The source has no token", cause: error)
        }
    }
}
#endif
