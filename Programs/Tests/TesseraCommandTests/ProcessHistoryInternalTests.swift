// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraConsole
internal import Testing

@Suite("Programs that replace each other")
struct ProcessHistoryInternalTests {
    @Test("Reads the list that it has written, but not that of another process")
    func text() {
        let history = ProcessHistory(version: "tessera 1.2.3 (abc, linux)", names: ["tessera", "tessera-api"])
        let text = history.text(process: 42)
        #expect(ProcessHistory(text, process: 42) == history)
        #expect(ProcessHistory(text, process: 43) == nil)
        #expect(ProcessHistory("", process: 42) == nil)
        #expect(ProcessHistory("42\tversion", process: 42) == nil)
    }

    @Test("Permits each program once")
    func once() throws {
        let first = try ProcessHistory.adding("tessera-databases", to: nil, own: "tessera")
        #expect(first.names == ["tessera", "tessera-databases"])
        let second = try ProcessHistory.adding("tessera-provider", to: first, own: "tessera-databases")
        #expect(second.names == ["tessera", "tessera-databases", "tessera-provider"])
        #expect(throws: CommandError.self) {
            try ProcessHistory.adding("tessera", to: second, own: "tessera-provider")
        }
    }

    @Test("Rejects a program that has returned the command without adding itself")
    func silent() throws {
        let first = try ProcessHistory.adding("tessera-databases", to: nil, own: "tessera-api")
        let error = #expect(throws: CommandError.self) {
            try ProcessHistory.adding("tessera-databases", to: first, own: "tessera-api")
        }
        #expect(error?.recoverySuggestion?.contains("tessera doctor") == true)
    }

    @Test("Explains a usage error only if a program of another version passed the command on")
    func advice() {
        #expect(ProcessHistory.advice(nil) == nil)
        #expect(ProcessHistory.advice(ProcessHistory(version: ReleaseVersion.summary, names: ["tessera"])) == nil)
        let advice = ProcessHistory.advice(ProcessHistory(version: "tessera 9.9.9\u{1B}", names: ["tessera"]))
        #expect(advice?.contains("tessera 9.9.9") == true)
        #expect(advice?.contains("\u{1B}") == false)
    }
}
