// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation

extension OIDAuthorizationService {
    /// Does `work` in a task of its own, and calls the handler on the main queue.
    class func report<Value: Sendable>(
        to completion: @escaping (Value?, (any Error)?) -> Void,
        refusals domain: String = OIDOAuthTokenErrorDomain,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        let callback = self.callback(completion)
        Task {
            do {
                callback(.success(try await self.mapping(refusals: domain, work)))
            } catch {
                callback(.failure(error))
            }
        }
    }

    /// A handler for the main queue.
    class func callback<Value: Sendable>(
        _ completion: @escaping (Value?, (any Error)?) -> Void
    ) -> Callback<Result<Value, any Error>> {
        Callback(on: .main) { result in
            switch result {
            case .success(let value): completion(value, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Does `work`; what it throws is an `NSError` of AppAuth's domains then, a refusal of `domain`.
    class func mapping<Value: Sendable>(
        refusals domain: String = OIDOAuthTokenErrorDomain,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw NSError.appAuth(mapping: error, domain: domain)
        }
    }
}
