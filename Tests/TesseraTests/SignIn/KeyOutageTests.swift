// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Sign-in while the provider's keys cannot be fetched")
struct KeyOutageTests {
    /// Makes the first requests for the keys fail.
    private static func failKeys(_ environment: TestEnvironment, times: Int) {
        let rest = Mutex(times)
        environment.network.intercept("/keys") { _ in
            let fails = rest.withLock { rest in
                rest -= 1
                return rest >= 0
            }
            guard fails else { return nil }
            throw TransportError(.connectionLost)
        }
    }

    @Test("Requests the keys again, because the code has been used")
    func once() async throws {
        let environment = try TestEnvironment()
        Self.failKeys(environment, times: 1)
        #expect(try await environment.session().account.subject == "ada")
    }

    @Test("Does not wait for the cooldown of a failed fetch at the next sign-in")
    func next() async throws {
        let environment = try TestEnvironment()
        Self.failKeys(environment, times: 2)
        await #expect(throws: TransportError.self) { try await environment.session() }
        #expect(try await environment.session().account.subject == "ada")
    }
}
