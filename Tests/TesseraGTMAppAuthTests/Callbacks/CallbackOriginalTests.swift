// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraGTMAppAuth
internal import TesseraSupport
internal import TestTraits
internal import Testing

@Suite("Completion handlers called by several tasks", .timeLimit(.minutes(1)))
struct CallbackOriginalTests {
    @Test(
        "Runs once with the value of one of the callers",
        .original("AppAuth OIDAuthState.h performActionWithFreshTokens:")
    )
    func once() async {
        let queue = DispatchQueue(label: "callback")
        for _ in 0..<1_000 {
            let values = Mutex<[Int]>([])
            let callback = Callback<Int>(on: queue) { value in values.withLock { $0.append(value) } }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 { group.addTask { callback(number) } }
            }
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
            let called = values.withLock { $0 }
            #expect(called.count == 1)
            #expect((0..<4).contains(called.first ?? -1))
        }
    }
}
