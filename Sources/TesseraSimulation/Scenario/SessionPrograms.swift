// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraSupport

/// The programs of a ``SessionScenario``.
final class SessionPrograms: Sendable {
    private struct NothingToRevokeError: Error {}

    private struct State {
        var programs: [SimulatedProgram?]
        var lastOperation = 0
        var unfinished: [Int: SessionOperation] = [:]
        var random: SeededGenerator
    }

    private static let second: Int64 = 1_000_000_000
    /// The time in which every operation must end after the faults have stopped: longer than all time limits of a
    /// refresh, its retries and the locks before it.
    private static let bound = Duration.seconds(600)

    private let plan: SessionPlan
    private let simulation: Simulation
    private let providers: [SimulatedIssuer: Provider]
    private let machines: [SimulatedMachine]
    private let calls: ProgramCalls
    private let fetches: ProgramFetches
    private let details: ProgramDetails
    private let archives: ProgramArchives
    private let state: Mutex<State>

    init(_ plan: SessionPlan, in simulation: Simulation) throws {
        self.plan = plan
        self.simulation = simulation
        simulation.provider.settings = plan.settings
        let providers = try SimulatedIssuer.allCases.map { ($0, try simulation.provider.provider($0)) }
        self.providers = Dictionary(uniqueKeysWithValues: providers)
        self.calls = ProgramCalls(in: simulation)
        self.fetches = ProgramFetches(in: simulation)
        self.details = ProgramDetails(in: simulation, calls: self.calls)
        self.archives = ProgramArchives(in: simulation, provider: try simulation.provider.provider)
        self.machines = (0..<plan.machines).map { _ in simulation.makeMachine() }
        self.state = Mutex(
            State(programs: plan.programs.map { _ in nil }, random: simulation.generator(.plan, 1))
        )
    }

    /// Runs all steps, lets every operation end, and then refreshes each session once more.
    func run() async throws {
        for step in self.plan.steps {
            try await self.sleep(until: step.time)
            switch step.action {
            case .operation(let program, let operation): try self.begin(operation, in: program)
            case .fault(let fault): self.begin(fault)
            }
        }
        self.endFaults()
        try await self.simulation.clock.sleep(for: Self.bound)
        self.checkUnfinished { $0 != .archiveHold }
        for program in self.plan.programs.indices where self.plan.isFirst(program) {
            for name in self.plan.subjects + self.plan.openIDAccounts {
                try self.begin(SessionOperation(.refresh, of: name), in: program)
            }
        }
        try await self.simulation.clock.sleep(for: Self.bound)
        self.checkUnfinished { $0 != .archiveHold }
        // An update of an archive can wait for the lock and then be held for longer.
        if self.state.withLock({ !$0.unfinished.isEmpty }) { try await self.simulation.clock.sleep(for: Self.bound) }
        self.checkUnfinished { _ in true }
    }

    private func sleep(until time: Int64) async throws {
        try await self.simulation.scheduler.sleep(until: time, for: nil)
    }

    private func checkUnfinished(_ isExpected: (SessionOperation.Kind) -> Bool) {
        let unfinished = self.state.withLock { $0.unfinished }
        for (number, operation) in unfinished.sorted(by: { $0.key < $1.key }) where isExpected(operation.kind) {
            self.simulation.report(.everyWaiterGetsAResult, "operation \(number), \(operation), has not ended")
        }
    }

    // MARK: Faults

    private func begin(_ fault: SessionPlan.Fault) {
        switch fault {
        case .kill(let program, let count): self.running(program)?.process.kill(afterOperations: count)
        case .powerLoss(let machine): self.machines[machine].losePower()
        case .partition(let machine, let seconds):
            self.machines[machine].setCutOff(true)
            self.end(after: seconds) { $0.machines[machine].setCutOff(false) }
        case .network(let faults, let seconds):
            self.simulation.networkFaults = faults
            self.end(after: seconds) { $0.simulation.networkFaults = NetworkFaults() }
        case .unavailable(let percent, let seconds):
            self.setUnavailable(percent)
            self.end(after: seconds) { $0.setUnavailable(0) }
        case .clock(let machine, let seconds): self.machines[machine].setClock(skew: .seconds(seconds))
        case .diskFull(let machine, let seconds):
            self.machines[machine].setDiskFull(true)
            self.end(after: seconds) { $0.machines[machine].setDiskFull(false) }
        case .diskErrors(let machine, let percent, let seconds):
            self.machines[machine].setDiskErrors(percent: percent)
            self.end(after: seconds) { $0.machines[machine].setDiskErrors(percent: 0) }
        case .databaseErrors(let percent, let seconds):
            self.setDatabaseErrors(percent)
            self.end(after: seconds) { $0.setDatabaseErrors(0) }
        case .databaseDown(let seconds):
            self.setDatabaseRunning(false)
            self.end(after: seconds) { $0.setDatabaseRunning(true) }
        case .revoked(let subject): self.simulation.provider.revoke(subject)
        case .invalidated(let subject): self.simulation.provider.invalidateAccessTokens(of: subject)
        case .uploadsLost: self.simulation.provider.loseUploads()
        case .pause(let program, let seconds): self.running(program)?.process.pause(seconds: seconds)
        case .leasesLost: self.loseLeases()
        case .declined(let percent, let seconds):
            self.simulation.provider.settings.declined = percent
            self.end(after: seconds) { $0.simulation.provider.settings.declined = 0 }
        case .keyringLocked(let machine, let seconds):
            self.machines[machine].setKeyringLocked(true)
            self.end(after: seconds) { $0.machines[machine].setKeyringLocked(false) }
        case .keyringErrors(let machine, let percent, let seconds):
            self.machines[machine].setKeyringErrors(percent: percent)
            self.end(after: seconds) { $0.machines[machine].setKeyringErrors(percent: 0) }
        case .keyringReset(let machine): self.machines[machine].resetKeyring()
        case .keysRotated: self.simulation.provider.rotateKeys()
        case .deviation(let deviation, let seconds):
            self.simulation.provider.setDeviation(deviation, true)
            self.end(after: seconds) { $0.simulation.provider.setDeviation(deviation, false) }
        case .background(let program, let seconds): self.running(program)?.process.enterBackground(seconds: seconds)
        case .threadsBusy(let percent, let seconds):
            self.simulation.setThreadsBusy(percent: percent)
            self.end(after: seconds) { $0.simulation.setThreadsBusy(percent: 0) }
        case .recordDamaged, .archiveDamaged, .archiveFails, .archiveIsOld:
            self.archives.begin(fault, on: self.machines)
        }
    }

    private func setUnavailable(_ percent: Int) {
        self.simulation.provider.settings.unavailable = percent
        self.simulation.record(.availabilityChanged(unavailable: percent), by: .provider)
    }

    private func setDatabaseErrors(_ percent: Int) {
        #if PostgreSQL
        self.simulation.setDatabaseErrors(percent: percent)
        #endif
    }

    private func setDatabaseRunning(_ isRunning: Bool) {
        #if PostgreSQL
        self.simulation.setDatabaseRunning(isRunning)
        #endif
    }

    private func loseLeases() {
        #if PostgreSQL
        self.simulation.loseLeases()
        #endif
    }

    private func end(after seconds: Int, _ body: @escaping @Sendable (SessionPrograms) -> Void) {
        self.simulation.start {
            try await self.simulation.clock.sleep(for: .seconds(seconds))
            body(self)
        }
    }

    private func endFaults() {
        self.archives.endFaults(on: self.machines)
        self.simulation.networkFaults = NetworkFaults()
        self.simulation.setThreadsBusy(percent: 0)
        self.setUnavailable(0)
        self.simulation.provider.settings.declined = 0
        for deviation in SimulatedProvider.Deviation.allCases {
            self.simulation.provider.setDeviation(deviation, false)
        }
        if self.plan.store == .database {
            self.setDatabaseErrors(0)
            self.setDatabaseRunning(true)
        }
        for machine in self.machines {
            machine.setCutOff(false)
            machine.setDiskFull(false)
            machine.setDiskErrors(percent: 0)
            if !self.plan.keyrings.isEmpty {
                machine.setKeyringLocked(false)
                machine.setKeyringErrors(percent: 0)
            }
        }
    }

    // MARK: Operations

    /// Returns a program's process if it is running.
    private func running(_ number: Int) -> SimulatedProgram? {
        self.state.withLock { $0.programs[number] }.flatMap { $0.process.isRunning ? $0 : nil }
    }

    private func program(_ number: Int) throws -> SimulatedProgram {
        if let program = self.running(number) { return program }
        let process = self.machines[self.plan.programs[number]].start(isApp: self.plan.apps.contains(number))
        let program = try SimulatedProgram(
            process,
            store: self.plan.keyrings.contains(number) ? nil : self.plan.store,
            providers: self.providers
        )
        self.state.withLock { $0.programs[number] = program }
        return program
    }

    private func begin(_ operation: SessionOperation, in number: Int) throws {
        let program = try self.program(number)
        let id = self.state.withLock { state in
            state.lastOperation += 1
            state.unfinished[state.lastOperation] = operation
            return state.lastOperation
        }
        let isPaused = self.simulation.scheduler.isPaused(program.process.id)
        if !isPaused { self.simulation.record(.began(id, operation), by: .process(program.process.id)) }
        self.simulation.start {
            if isPaused {
                await program.process.waitUntilResumed()
                self.simulation.record(.began(id, operation), by: .process(program.process.id))
            }
            await self.perform(operation, id, in: program)
            self.state.withLock { $0.unfinished[id] = nil }
        }
    }

    private func perform(_ operation: SessionOperation, _ id: Int, in program: SimulatedProgram) async {
        let actor = SimulationEvent.Actor.process(program.process.id)
        let result: SimulationEvent.Action
        do {
            if let token = try await self.result(of: operation, id, in: program) {
                result = .received(id, token)
            } else {
                result = .succeeded(id)
            }
        } catch is CancellationError {
            result = .canceled(id)
        } catch let ended as SessionEndedError {
            self.details.show(ended, of: id)
            result = .ended(id, reason: "\(ended.code)")
        } catch {
            self.details.show(error, of: id)
            result = .failed(id, "\(error)")
        }
        self.simulation.record(result, by: actor)
        if operation.kind == .exit { program.process.kill() }
    }

    private func result(
        of operation: SessionOperation,
        _ id: Int,
        in program: SimulatedProgram
    ) async throws -> SimulatedToken? {
        if operation.kind.isDetail { return try await self.details.result(of: operation, id, in: program) }
        if operation.kind.isSignIn { return try await self.signIn(operation, program) }
        if operation.kind == .exit {
            await program.settle()
            return nil
        }
        if operation.kind == .endedRefresh { return try await self.refreshEnded(operation.subject, program) }
        if operation.kind.isOfStore {
            try await self.archives.perform(operation, id, in: program)
            return nil
        }
        if operation.kind == .keptToken {
            let session = program.kept.withLock { $0[operation.subject] }
            guard let session else { return nil }
            return Self.token(try await session.accessToken())
        }
        let session = try await program.session(of: operation.subject) {
            operation.kind.isFetch
                ? self.fetches.releasesSession()
                : operation.kind.isCall ? self.calls.releasesSession() : self.state.withLock { $0.random.chance(20) }
        }
        switch operation.kind {
        case .token: return Self.token(try await session.accessToken())
        case .validToken: return Self.token(try await session.accessToken(validFor: .seconds(20)))
        case .narrowedToken:
            _ = try await session.narrowed(to: SimulatedIssuer(of: operation.subject).scopes)
        case .events: await self.receiveEvents(of: session, in: program.process)
        case .refresh: return Self.token(try await session.refresh())
        case .tokens: return try await self.tokens(of: session)
        case .canceledToken: return try await self.canceledToken(of: session, in: program.process)
        case .call: try await Self.call("/files", session)
        case .redirectedCall: try await Self.call("/redirect", session)
        case .signOut: try await session.signOut()
        case .disconnect: if try await !session.disconnect() { throw NothingToRevokeError() }
        case .revocation:
            if try await !session.disconnect(keepsOnFailure: true) { throw NothingToRevokeError() }
        case .upload: try await self.calls.upload(with: session, id, in: program.process)
        case .post: try await self.calls.post(with: session, id, in: program.process)
        case .followedCall: try await self.calls.followedCall(with: session, in: program.process)
        case .addScopes:
            let issuer = SimulatedIssuer(of: operation.subject)
            try await self.calls.addScope(to: session, id, program.signIn(with: issuer))
        case .keep:
            program.kept.withLock { $0[operation.subject] = session }
            program.sessions.withLock { $0[operation.subject] = nil }
        case let kind where kind.isFetch:
            try await self.fetches.perform(kind, id, with: session, in: program.process)
        default: break
        }
        return nil
    }

    private func signIn(_ operation: SessionOperation, _ program: SimulatedProgram) async throws -> SimulatedToken? {
        let subject = operation.subject
        let signIn = program.signIn(with: SimulatedIssuer(of: subject))
        let session: OAuthSession
        if operation.kind == .signIn {
            session = try await signIn.adopt(
                self.simulation.provider.makeConsent(of: subject),
                options: ProgramCalls.options(subject)
            )
        } else {
            let known = program.sessions.withLock { $0[subject] }.flatMap { $0.record.tokens?.refreshToken }
            let consent = known.flatMap { $0.withUnredacted { SimulatedToken($0) } }?.consent
            let isRepeated = operation.kind == .repeatedSignIn
            session = try await self.calls.signIn(subject, signIn, consent: isRepeated ? consent : nil)
        }
        program.sessions.withLock { $0[subject] = session }
        return Self.token(try await session.accessToken())
    }

    /// Refreshes a session object that has ended, which must fail unless the user has consented again.
    private func refreshEnded(_ subject: String, _ program: SimulatedProgram) async throws -> SimulatedToken? {
        let known = program.sessions.withLock { $0[subject] }
        let session = known?.ended == nil ? program.ended.withLock { $0[subject] } : known
        guard let session, session.ended != nil else { return nil }
        let token = Self.token(try await session.refresh())
        return session.ended == nil ? nil : token
    }

    private func tokens(of session: OAuthSession) async throws -> SimulatedToken? {
        try await withThrowingTaskGroup(of: SimulatedToken?.self) { group in
            for _ in 0..<10 { group.addTask { Self.token(try await session.accessToken()) } }
            var last: SimulatedToken?
            for try await token in group { last = token }
            return last
        }
    }

    private func canceledToken(of session: OAuthSession, in process: SimulatedProcess) async throws -> SimulatedToken? {
        let task = self.simulation.start { Self.token(try await session.refresh()) }
        let delay = self.state.withLock { $0.random.time(0...Self.second / 5) }
        try await self.simulation.clock.sleep(for: .nanoseconds(delay))
        await process.waitUntilResumed()
        task.cancel()
        return try await task.value
    }

    private func receiveEvents(of session: OAuthSession, in process: SimulatedProcess) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in session.events() {} }
            group.addTask { try? await process.clock.sleep(for: .seconds(60)) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func call(_ path: String, _ session: OAuthSession) async throws {
        let request = ProgramCalls.request(.get, path, session)
        let (_, body) = try await AuthorizedFetcher(session, runtime: session.runtime).send(request)
        _ = try await body.collect(upTo: 1 << 20)
    }

    private static func token(_ token: AccessToken) -> SimulatedToken? {
        token.secret.withUnredacted { SimulatedToken($0) }
    }
}
