// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Completion handlers")
struct CallbackTests {
    @Test("Runs once on its queue even if called twice")
    func once() async {
        let queue = DispatchQueue(label: "callback")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let (calls, onQueue) = await withCheckedContinuation { continuation in
            var calls: [Int] = []
            var onQueue: [Bool] = []
            let callback = Callback<Int>(on: queue) { value in
                calls.append(value)
                onQueue.append(DispatchQueue.getSpecific(key: key) == true)
                continuation.resume(returning: (calls, onQueue))
            }
            callback(1)
            callback(2)
        }
        // A second call would have resumed the continuation twice, which traps.
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(calls == [1])
        #expect(onQueue == [true])
    }
}
