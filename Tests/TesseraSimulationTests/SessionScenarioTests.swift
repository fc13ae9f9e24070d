// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Testing

@testable internal import TesseraSimulation

@Suite("Session scenario")
struct SessionScenarioTests {
    @Test("The same seed gives the same events", arguments: UInt64(1)...10)
    func determinism(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let scenario = SessionScenario(seed: seed)
        #expect(try scenario.run() == scenario.run())
    }

    @Test("Keeps every promise for each seed", arguments: UInt64(1)...30)
    func seeds(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(throws: Never.self) { try SessionScenario(seed: seed).run() }
    }

    private struct Reference {
        weak var simulation: Simulation?
    }

    @Test("Nothing of a history remains in memory", arguments: UInt64(1)...5)
    func memory(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let reference = Mutex(Reference())
        try Simulation.run(seed: seed) { simulation in
            reference.withLock { $0.simulation = simulation }
            try await SessionPrograms(SessionPlan(seed: seed), in: simulation).run()
        }
        #expect(reference.withLock { $0.simulation } == nil)
    }

    /// A sign-out that fails removes the record's mark (12067, 14716), a disconnection revokes a new consent (13208), a
    /// session that is restored after a failed sign-out does not know unsaved tokens (17290), the age of tokens depends
    /// on the wall clock (1921, 11226), a body that can be read only once is sent again (3399), unsaved tokens replace
    /// those of later refreshes (1945, 16277), a save is completed that is not on disk (8782), the mark of a refresh is
    /// lost after another consent (78, 242), while it is saved (17071, 18770) or after two saves that failed (2322), a
    /// sign-out that waited for a lease twice removes a new consent (9180), a process that has lost its lease replaces a
    /// record that has changed (2908), restoring a session ends one in use of an earlier consent (4659), a new refresh
    /// token is lost after a consent that retained the one before it (332, 5985), a program's own token is used for too
    /// long (1041), and so is one that was saved late (30162), a process replaces the reason for which another one has
    /// ended a session (26568), tokens that arrive late replace a later end of the session (51024), a time limit ends
    /// before a response that has arrived is read (86215), the mark of another process is ignored (127508), a refresh
    /// token is sent while a late response to it is pending (937, 429220), a call after a sign-in returns the token of a
    /// refresh that had started before it (497902), and a session remains active that is restored while a sign-out ends
    /// (557060).
    @Test(
        "Keeps every promise in histories that once broke one",
        arguments: [
            "12067:0,1,12,14,15,16,17,23",
            "14716:0,1,2,4,5,7,8,10,11,12,13,14,15,16,18,19,20,21,24,25,26,27,30,31,32,34,35,36,37,39,80",
            "13208:0,1,4,6,7,8,9,10,11,12,13,14,15,16", "17290:1,3,5,7,13",
            "11226:0,1,2,13,14,15,17,18,19,20,24,25,32,36,40,41,44,48,49,50,52,53,57,58,59,60,72,75",
            "4926:0,19,20,22,23,24,25,26,29", "1945:0,1,2,3,4,5,6,7,14,78,79", "8782:0,10,11,23,67",
            "16277:11,14,15,18,19,22,23,24,25,26,27,28,29,30,31,32,33,34,56,64,74,75,76",
            "78:9,39,43,45,75,76,77,78,80", "242:0,107,108,109,111", "2322:24,32,96,118",
            "6874:0,1,4,14,71,103,104,105,106,109", "2908:128,137,138,139",
            "5985:0,1,118,127,128,130,131,140,141,142,143,144", "332:0,19,80,86,96,97,98,99,100",
            "51024:0,1,2,3,84,87,88,144,145,146,149", "26568:0,1,74,76,79,93,94,104,110",
            "86215:0,52,87,88,97,99,105,106,143,145,146,147,149,167",
            "127508:0,1,2,9,15,16,63,64,67,68,69,71,72,73,74,75,76,86,87,88,89,93,94,106,108,111,113",
            "937:68,72,101,106,107,109,113,114,120,121,122,124,125,132,134,135",
            "429220:0,1,7,20,30,71,72,74,75,76,77,78,87,90,91,95,96,97,98,99,101,102,103,105,111,117,118,119,120,121,"
                + "122,123,124,125,126,127,128,129,130,131,132,133,134,135,136,137,138,139,142,143,145,146,147,148,150,"
                + "151,152,153,154,155,156",
            "497902:1,79,81,84,88,89,90,92,93,94,95,96,97,98,100,101,102,104,106,107,110,111,112,113,114,118,121,122,123,"
                + "124,125,130,131,133,134,135,136,137,140,142",
            "784317:0,1,2,16,17,48,62,63,67,68,70,71,72,73,74,75,76,77,78,83,84,93,94,98,99,100,113",
            "864730:99,102,104,124,125,126,139,140,141,167",
            "935569:0,1,28,74,75,76,77,83,84,85,86,87,88,89,94,95,97,98,99,101,102,103,104,105,106,"
                + "107,108,109,110,111,112,113,115,116,117,118,119,120,124,125,126,127,129,130,131,136,"
                + "137,138,139,140,152,158,159,160,161,162,163",
            "894512:0,1,89,90,93,121,122,123,125,126,130,131,132,133",
            "557060:0,1,91,93,94,95,96,97,113,134,136,137,142",
            "30162:0,1,2,3,19,95,96,97,98,99,100,101,142,144,145,157,158,159,183",
            "17071:52,81,82,83,85,86,91,92", "18770:1,8,97,98,100,146",
            "1041:1,16,17,83,84,86,136,137,138,139,140,141,154,155,157,158,159,160,161,162",
            "4659:0,1,2,6,7,8,10,19,20,71,78,80,81,85,87,100,101,102,103,105",
            "3399:0,1,2,3,8,9,10,11,12,13,15,16,17,18,19,21,62",
            "1921:6,7,8,9,11,14,17,18,21,22,23,24,25,27,29,30,31,32,33,35,41,42,43,44,50,51,52,53,54,55,58,59,60,61,"
                + "62,63,67,68,81,83,84,85,87,88,89,91,92,93,97,104,106,107",
        ]
    )
    func regressions(text: String) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let scenario = try #require(SessionScenario(text))
        #expect(throws: Never.self) { try scenario.run() }
    }

    /// A process was killed (18318) or suspended (14108) during the only refresh of a session with another issuer, a
    /// thread was busy while a keyring was reset (14005), a new consent was refreshed after a sign-out that had spared it
    /// (8803), a process was killed while it listed files (19468), an update was held for longer than the bound for results
    /// (30898), busy threads reported late what they had found before a sign-out (71443) or a save (123100), read a
    /// response after its time limit (168746) or returned from a sign-in after a later one (214113), a consent retained
    /// the mark of a refresh (201763), the clock was set back during the last request of a session (243548), a process
    /// that had found the end of a session was stopped while others revived it (271581), a busy thread reported a save
    /// after another process had found the record and replaced it (282556), a record without a refresh token was found
    /// although its save had failed (248891), a damaged record was read while another one replaced it (388561), a
    /// call reported an end that its session had, although another process revived it meanwhile (392692), a sign-out
    /// removed the record of a new consent while an earlier disconnection awaited its response (520561), a call
    /// reported an interruption that another process had resolved meanwhile (547949), a call shared a refresh whose token
    /// had expired before it arrived (666805), an app whose time had run out sent a refresh late, because a thread was
    /// busy (787352), and a sign-out spared the record of a new consent whose save had failed after it took effect
    /// (799133).
    @Test(
        "Reports nothing in histories that keep every promise",
        arguments: [
            "18318:23,76,128,129,130,131,132", "14108:22,104,125,127,139,140,141,142",
            "14005:0,1,113,114,116,117,119,145,146,147,148,149,150,151,152,153,154,155,156,157",
            "8803:0,1,12,14,74,76,77,81,85,87,88,90,94,96,98,99,101,102,103,108,118,119,120,121,122,123",
            "19468:179,181,185,186", "30898:129",
            "71443:0,1,37,75,77,78,79,80,83,84,85,86,87,88,89,102,103,104,105,106,107,111,113,115,116,118,119,121,122,"
                + "123,131",
            "123100:0,1,2,3,89,103,129,130,131",
            "168746:0,1,69,74,82,83,84,85,86,87,89,90,124,126,127,128", "201763:0,10,75,76,108,109,111,113,114",
            "214113:0,1,86,133,134,135,152,153,154,157",
            "243548:0,1,2,3,4,5,9,76,82,83,84,86,87,89,110,111,112,113", "248891:30,142,143,144",
            "388561:81,158,170,176,178,179", "392692:64,72,75,76,77,82,84,86,89",
            "520561:0,1,99,100,101,102,103", "547949:0,1,81,82,83,85,86,88,118",
            "666805:0,1,16,71,80,81,82,87,97,106,107,115,117,125,126,127,128,129,130,131,132,134,138,140,144,145",
            "787352:0,1,2,3,86,87,88,114,115,116,118,119,146,148,149",
            "799133:1,30,78,84,85,87,107,128,131",
            "271581:1,63,64,66,71,74,75,76,77,78,79,81,82,84,85,86,88,89,90,91,92,94,95,97,98,100,102,103,104,106,116",
            "282556:0,1,2,23,52,77,79,80,82,83,84,85,88,90,91,92,93,98,102,104,105,106,107,108,110,111,113,116,117,118,"
                + "122,123,124,125,126,127,128,134,136,138,139,140,142,144,145,146,147,149,150,151,152,153,154,155",
        ]
    )
    func reports(text: String) throws { try self.regressions(text: text) }

    @Test("Each plan has at least 3 programs, 2 accounts, 50 operations and 5 faults", arguments: UInt64(1)...200)
    func size(seed: UInt64) {
        let plan = SessionPlan(seed: seed)
        #expect(plan.programs.count >= 3)
        #expect(plan.subjects.count >= 2)
        #expect(plan.operations >= 50)
        #expect(plan.faults >= 5)
    }

    @Test("Omits operations while at least 50 remain", arguments: UInt64(1)...50)
    func omissions(seed: UInt64) {
        let (plan, complete) = (SessionPlan(seed: seed), SessionPlan(seed: seed, steps: Set(0..<1_000)))
        #expect(plan.operations < complete.operations)
        #expect(plan.faults == complete.faults)
        #expect(Set(plan.steps).isSubset(of: complete.steps))
    }

    @Test("The numbers of the first steps do not depend on uploads, calls and consents", arguments: UInt64(1)...200)
    func calls(seed: UInt64) {
        let plan = SessionPlan(seed: seed, steps: Set(0..<1_000))
        #expect(plan.steps.map(\.number).sorted() == Array(plan.steps.indices))
        let calls = plan.steps.compactMap { step -> (number: Int, kind: SessionOperation.Kind)? in
            guard case .operation(_, let operation) = step.action, operation.kind.isCall else { return nil }
            return (step.number, operation.kind)
        }
        #expect(Set(calls.map(\.kind)).isSuperset(of: [.upload, .post, .followedCall]))
        let first = calls.map(\.number).min() ?? 0
        let others = plan.steps.filter { $0.number < first }
        #expect(others.count >= 55)
        #expect(others.map(\.number) == Array(0..<first))
    }

    @Test("A scenario's description creates the same scenario again")
    func description() throws {
        var scenario = SessionScenario(seed: 42)
        #expect(SessionScenario(scenario.description) == scenario)
        scenario.plan.steps.removeAll { $0.number % 3 > 0 }
        #expect(scenario.description.hasPrefix("42:0,"))
        #expect(SessionScenario(scenario.description) == scenario)
    }

    @Test("Rejects a text that is not the description of a scenario", arguments: ["", "x", "1:a", "1:2,b", ":1"])
    func invalidDescription(text: String) { #expect(SessionScenario(text) == nil) }

    @Test("Shrinks a scenario to the steps that matter")
    func shrinking() {
        let scenario = SessionScenario(seed: 42)
        let wanted = Set([scenario.plan.steps[3].number, scenario.plan.steps[40].number])
        let shrunk = scenario.shrunk { candidate in wanted.isSubset(of: candidate.plan.steps.map(\.number)) }
        #expect(Set(shrunk.plan.steps.map(\.number)) == wanted)
    }
}
