// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraSupport
internal import Testing

@testable internal import TesseraSimulation

@Suite("Simulated uploads")
struct SimulatedUploadsTests {
    private let uploads = SimulatedUploads(
        random: SeededGenerator(seed: 1),
        additional: SeededGenerator(seed: 2)
    )
    private let log = Log()

    private func send(_ range: String, _ bytes: [UInt8] = [], to path: String) -> (status: Int, range: String?) {
        var head = HTTPRequest(method: .put, scheme: "https", authority: "api.example", path: path)
        head.headerFields[.contentRange] = "bytes \(range)"
        let response = self.uploads.respond(to: SimulatedRequest(head: head, body: bytes)) { action in
            self.log.add(action.predicate)
        }
        return (response.head.status.code, response.head.headerFields[.range])
    }

    @Test("Creates one object when all bytes have arrived, and remembers that the upload is complete")
    func complete() {
        let path = self.uploads.begin(7)
        #expect(self.send("*/3", to: path) == (308, nil))
        // Pieces of one byte are never accepted in part.
        #expect(self.send("0-0/3", [1], to: path) == (308, "bytes=0-0"))
        #expect(self.send("1-1/3", [2], to: path) == (308, "bytes=0-1"))
        #expect(self.send("*/3", to: path) == (308, "bytes=0-1"))
        #expect(self.log.lines.isEmpty)
        #expect(self.send("2-2/3", [3], to: path).status == 200)
        #expect(self.send("*/3", to: path).status == 200)
        #expect(self.send("0-0/3", [1], to: path).status == 200)
        #expect(self.log.lines == ["creates an object of 3 bytes from upload 7"])
    }

    @Test("Accepts the first bytes of a piece whose connection was lost")
    func half() {
        let path = self.uploads.begin(7)
        #expect(self.send("0-3/8", [1], to: path) == (308, "bytes=0-0"))
        #expect(self.send("*/8", to: path) == (308, "bytes=0-0"))
    }

    @Test("Rejects a piece at another offset than the number of bytes received", arguments: ["0-0/3", "2-2/3"])
    func offset(range: String) {
        let path = self.uploads.begin(7)
        _ = self.send("0-0/3", [1], to: path)
        #expect(self.send(range, [2], to: path).status == 400)
        #expect(self.log.lines.count == 1)
        #expect(self.log.lines.first?.hasPrefix("rejects bytes of upload 7 from offset") == true)
    }

    @Test("Forgets unfinished uploads, but not complete ones")
    func forgotten() {
        let (finished, unfinished) = (self.uploads.begin(1), self.uploads.begin(2))
        _ = self.send("0-0/1", [1], to: finished)
        self.uploads.forgetUnfinished()
        #expect(self.send("*/1", to: finished).status == 200)
        #expect([404, 410].contains(self.send("*/1", to: unfinished).status))
    }
}

/// The operations of programs, with the library's code.
@Suite("Program calls")
struct ProgramCallsTests {
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private static func signIn(_ process: SimulatedProcess) throws -> SignIn {
        SignIn(
            try process.simulation.provider.provider,
            runtime: process.runtime,
            store: process.encryptedFileStore(),
            userAgent: SimulatedUserAgent(process: process)
        )
    }

    private static func created(_ events: [SimulationEvent]) -> Int {
        events.count { if case .created = $0.action { true } else { false } }
    }

    @Test("Uploads bytes once over a network that loses messages, and while the API loses uploads", arguments: 1...20)
    func upload(seed: Int) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: UInt64(seed)) { simulation in
            let process = simulation.makeMachine().start()
            let calls = ProgramCalls(in: simulation)
            let session = try await calls.signIn("ada", Self.signIn(process))
            simulation.networkFaults.lostRequest = 10
            simulation.networkFaults.lostResponse = 20
            simulation.networkFaults.halfResponse = 20
            simulation.start {
                try await simulation.clock.sleep(for: .seconds(1))
                simulation.provider.loseUploads()
            }
            try? await calls.upload(with: session, 1, in: process)
            simulation.networkFaults = NetworkFaults()
            try await calls.upload(with: session, 2, in: process)
        }
        // If the first upload failed, the second one has continued it.
        #expect((1...2).contains(Self.created(events)))
    }

    @Test("Another process continues the upload of a process that was killed", arguments: 0...8)
    func killed(operations: Int) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let wasKilled = Mutex(false)
        let events = try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let (first, second) = (machine.start(), machine.start())
            let calls = ProgramCalls(in: simulation)
            let session = try await calls.signIn("ada", Self.signIn(first))
            first.kill(afterOperations: operations)
            try? await calls.upload(with: session, 1, in: first)
            wasKilled.withLock { $0 = !first.isRunning }
            let restored = try #require(try await Self.signIn(second).restore(session.account))
            try await calls.upload(with: restored, 2, in: second)
        }
        #expect(Self.created(events) == (wasKilled.withLock { $0 } ? 1 : 2))
    }

    @Test("Sends a body that can be read once only once, even if the API rejects the token")
    func post() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let calls = ProgramCalls(in: simulation)
            let session = try await calls.signIn("ada", Self.signIn(process))
            try await calls.post(with: session, 1, in: process)
            simulation.provider.invalidateAccessTokens(of: "ada")
            await #expect(throws: (any Error).self) { try await calls.post(with: session, 2, in: process) }
        }
        #expect(Self.created(events) == 1)
    }

    @Test("Follows a redirect to another origin without the token")
    func redirect() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let calls = ProgramCalls(in: simulation)
            let session = try await calls.signIn("ada", Self.signIn(process))
            try await calls.followedCall(with: session, in: process)
        }
        let elsewhere = events.compactMap { event in
            if case .sent(let request, _) = event.action, request.origin == "https://elsewhere.example" {
                request
            } else {
                nil
            }
        }
        #expect(elsewhere.count == 1)
        #expect(elsewhere.first?.accessToken == nil)
    }

    @Test("Adds a scope with a new consent, which other processes use")
    func addScopes() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let (first, second) = (machine.start(), machine.start())
            let calls = ProgramCalls(in: simulation)
            let signIn = try Self.signIn(first)
            let session = try await calls.signIn("ada", signIn)
            let other = try #require(try await Self.signIn(second).restore(session.account))
            try await calls.addScope(to: session, 1, signIn)
            #expect(session.grantedScopes.granted.contains("files.1"))
            _ = try await other.refresh()
            #expect(other.grantedScopes.granted.contains("files.1"))
        }
    }
}
