// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A gate that suspends tasks until a test opens it, for use instead of sleeping.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrived = false
        var held: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Waits until the gate is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let ready = self.state.withLock { state in
                var ready = state.observers
                state.observers = []
                state.hasArrived = true
                if state.isOpen { ready.append(continuation) } else { state.held.append(continuation) }
                return ready
            }
            for continuation in ready { continuation.resume() }
        }
    }

    /// Waits until a task has called ``pass()``.
    public func waitForArrival() async {
        await withCheckedContinuation { continuation in
            let isThere = self.state.withLock { state in
                if !state.hasArrived { state.observers.append(continuation) }
                return state.hasArrived
            }
            if isThere { continuation.resume() }
        }
    }

    /// Opens the gate permanently and resumes all waiting tasks.
    public func open() {
        let held = self.state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
