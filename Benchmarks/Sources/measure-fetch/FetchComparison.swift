// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// Authorized GETs of the same small file, by two clients, in turns.
///
/// Each round makes both sides anew, now one and now the other first: which event loop a connection lands on, and beside
/// what, is worth several percent, and a pair that lives for a whole run keeps its luck.
struct FetchComparison: Sendable {
    typealias Maker = @Sendable () async throws -> Side

    let own: Maker
    let peer: Maker

    /// Prints, behind a name for the run and how many are in flight, for both, requests per second and processor microseconds per request, and the median of the rounds' ratios
    /// of the former.
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
            // The connections are opened here.
            for side in sides { _ = try await Rate(of: side.call, inFlight, duration / 4) }
            // What a machine has left for a program changes from one tenth of a second to the next: short turns, one side
            // before the other as often as after it.
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

    /// A side with connections of its own, one of them open.
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
