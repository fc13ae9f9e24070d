// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// How an agent stands.
public struct AgentStatus: Sendable, Hashable {
    /// The number of its process.
    public let process: Int32
    /// How many seconds it has run.
    public let uptime: Int64
    /// How many tokens it has given.
    public let grants: Int64
    /// What keeps its memory from other programs and from the disk.
    public let memory: MemoryProtection
}

extension AgentStatus {
    /// Reads the object of an answer.
    init(_ value: JSONValue) throws(AgentError) {
        guard let process = value["pid"].flatMap({ try? $0.integer(Int32.self) }),
            let uptime = value["uptime"].flatMap({ try? $0.integer(Int64.self) }),
            let grants = value["grants"].flatMap({ try? $0.integer(Int64.self) })
        else { throw AgentError(.noAnswer, detail: "the answer is no status") }
        self.init(
            process: process,
            uptime: uptime,
            grants: grants,
            memory: MemoryProtection(
                refusesDumps: value["refuses_dumps"]?.bool ?? false,
                isLocked: value["memory_locked"]?.bool ?? false
            )
        )
    }

    /// The object of an answer.
    var json: JSONNode {
        [
            "version": .integer(AgentMessage.version),
            "pid": .integer(Int64(self.process)),
            "uptime": .integer(self.uptime),
            "grants": .integer(self.grants),
            "refuses_dumps": .bool(self.memory.refusesDumps),
            "memory_locked": .bool(self.memory.isLocked),
        ]
    }
}
