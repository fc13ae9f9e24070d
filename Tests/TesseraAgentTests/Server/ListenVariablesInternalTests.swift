// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraAgent
internal import Testing

@Suite("Environment variables of socket activation")
struct ListenVariablesInternalTests {
    @Test(
        "Returns descriptor 3 if this process has one socket",
        arguments: [[:], ["LISTEN_FDNAMES": "tessera-agent.socket"], ["LISTEN_FDNAMES": "a:b", "LISTEN_PIDFDID": "7"]]
    )
    func one(others: [String: String]) throws {
        let variables = others.merging(["LISTEN_PID": "42", "LISTEN_FDS": "1"]) { $1 }
        #expect(try ListenVariables.descriptor(for: 42, in: variables) == 3)
    }

    @Test(
        "Returns nil if the variables are missing or belong to another process",
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_FDS": "x"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "421", "LISTEN_FDS": "2"], ["LISTEN_PID": "4"],
        ]
    )
    func none(variables: [String: String]) throws {
        #expect(try ListenVariables.descriptor(for: 42, in: variables) == nil)
    }

    @Test(
        "Rejects malformed variables and any number of sockets other than one",
        arguments: [
            (["LISTEN_PID": "42"], "LISTEN_FDS is not"), (["LISTEN_PID": "42", "LISTEN_FDS": "2"], "LISTEN_FDS is 2"),
            (["LISTEN_PID": "42", "LISTEN_FDS": "0"], "LISTEN_FDS is 0"),
            (["LISTEN_PID": "42", "LISTEN_FDS": "-1"], "'-1'"), (["LISTEN_PID": "42", "LISTEN_FDS": "+1"], "'+1'"),
            (["LISTEN_PID": "42", "LISTEN_FDS": "1 "], "'1 '"), (["LISTEN_PID": "42", "LISTEN_FDS": ""], "''"),
            (["LISTEN_PID": "42", "LISTEN_FDS": "4294967297"], "4294967297"),
            (["LISTEN_PID": "", "LISTEN_FDS": "1"], "LISTEN_PID is not a number"),
            (["LISTEN_PID": "0x2a", "LISTEN_FDS": "1"], "LISTEN_PID is not a number"),
        ]
    )
    func rejected(variables: [String: String], words: String) {
        #expect { try ListenVariables.descriptor(for: 42, in: variables) } throws: { error in
            AgentError.Code.unusableSocket ~= error && "\(error)".contains(words)
        }
    }
}
