// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation

extension OIDAuthorizationService {
    /// Does `work` in a task of its own, and calls the handler on the main queue.
    class func report<Value: Sendable>(
        to completion: @escaping (Value?, (any Error)?) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        let callback = Callback<Result<Value, any Error>>(on: .main) { result in
            switch result {
            case .success(let value): completion(value, nil)
            case .failure(let error): completion(nil, error)
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

    /// Does `work`; what it throws is an `NSError` of AppAuth's domains then.
    class func mapping<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw NSError.appAuth(mapping: error)
        }
    }
}
