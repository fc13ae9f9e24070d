// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// Compares authorized GETs of the same small file by two clients in turns.
///
/// Each round creates both clients again, in alternating order. The event loop of a connection makes a difference of
/// several percent, which would not average out if both clients existed for the whole run.
struct FetchComparison: Sendable {
    typealias Maker = @Sendable () async throws -> Side

    let own: Maker
    let peer: Maker

    /// Runs the comparison and prints one line.
    ///
    /// The line contains the name, the number of concurrent requests, the requests per second of both clients, the
    /// processor time of a request in microseconds of both, and the median ratio of their rates.
    func run(_ name: String, inFlight: Int, rounds: Int, duration: Duration) async throws {
        var own: [Rate] = []
        var peer: [Rate] = []
        for round in 0..<rounds {
            let sides: [Side]
            if round / 2 % 2 == 0 {
                sides = [try await Self.connect(self.own), try await Self.connect(self.peer)]
            } else {
                sides = try await [Self.connect(self.peer), Self.connect(self.own)].reversed()
            }
            // The first calls open the connections.
            for side in sides { _ = try await Rate(of: side.call, inFlight, duration / 4) }
            // The load of a machine changes within tenths of a second. Therefore turns are short, and each side goes
            // first equally often.
            var rates = [Rate(), Rate()]
            for turn in 0..<8 {
                for index in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                    rates[index] += try await Rate(of: sides[index].call, inFlight, duration / 8)
                }
            }
            own.append(rates[0])
            peer.append(rates[1])
            for side in sides { try await side.shutdown() }
        }
        let ratio = Self.median(zip(own, peer).map { $0.perSecond / $1.perSecond })
        let rates = [own, peer].map { Self.median($0.map(\.perSecond)) }
        let costs = [own, peer].map { Self.median($0.map(\.microseconds)) }
        print(name, inFlight, rates[0], rates[1], costs[0], costs[1], ratio)
    }

    /// Creates a side and opens its first connection.
    private static func connect(_ make: Maker) async throws -> Side {
        let side = try await make()
        try await side.call()
        return side
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
