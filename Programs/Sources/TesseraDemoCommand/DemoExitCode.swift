// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraLocalProvider

/// The exit codes of `tessera`, as far as the demo can end with them.
enum DemoExitCode {
    static func code(of error: any Error) -> Int32 {
        switch error {
        case let error as OAuthError: error.isTransient ? 5 : 3
        case let error as BearerChallengeError: error.status == 401 ? 6 : 3
        case let error as HTTPStatusError: error.isTransient ? 5 : 4
        case let error as SignInError:
            switch error.code {
            case .timedOut: 5
            case .accountMismatch, .domainMismatch, .givenUp: 3
            default: 2
            }
        case let error as DemoFailure: error.isRefusal ? 3 : 1
        case is ProtocolViolationError: 4
        case is TransportError: 5
        case is SessionEndedError: 6
        case is StoreError: 7
        case is LocalProviderError: 2
        default: 1
        }
    }
}
