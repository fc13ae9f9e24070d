// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraGTMAppAuth

extension GIDSignIn {
    /// Does `work` in a task of its own, and calls the handler on the callback queue.
    func report<Value: Sendable>(
        to completion: ((Value?, (any Error)?) -> Void)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        let callback = Callback<Result<Value, any Error>>(on: self.callbackQueue) { result in
            switch result {
            case .success(let value): completion?(value, nil)
            case .failure(let error): completion?(nil, error)
            }
        }
        Task {
            do {
                callback(.success(try await self.mapping(work)))
            } catch {
                callback(.failure(error))
            }
        }
    }

    /// The same for what brings nothing.
    func report(to completion: (((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void) {
        let handler: (Bool?, (any Error)?) -> Void = { _, error in completion?(error) }
        self.report(to: handler) {
            try await work()
            return true
        }
    }

    /// Does `work`; what it throws is a ``GIDSignInError`` then.
    func mapping<Value: Sendable>(_ work: () async throws -> Value) async throws(GIDSignInError) -> Value {
        do {
            return try await work()
        } catch {
            throw GIDSignInError(mapping: error)
        }
    }
}
