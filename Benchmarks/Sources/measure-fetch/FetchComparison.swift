// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// Authorized GETs of the same small file, by TesseraFetch and by async-http-client itself, in turns.
///
/// Each round makes both sides anew, now one and now the other first: which event loop a connection lands on, and beside
/// what, is worth several percent, and a pair that lives for a whole run keeps its luck.
struct FetchComparison: Sendable {
    let url: String

    /// Prints, for both, requests per second and processor microseconds per request, and the median of the rounds' ratios
    /// of the former.
    ///
    /// `isControl` has async-http-client on both sides: the ratio then is what this machine makes of equals.
    func run(inFlight: Int, rounds: Int, duration: Duration, isControl: Bool = false) async throws {
        var own: [Rate] = []
        var peer: [Rate] = []
        for round in 0..<rounds {
            let sides: [Side]
            if round / 2 % 2 == 0 {
                sides = [try await self.connect(.own, isControl), try await self.connect(.peer, isControl)]
            } else {
                sides = try await [self.connect(.peer, isControl), self.connect(.own, isControl)].reversed()
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
        print(isControl ? "control" : "fetch", inFlight, rates[0], rates[1], costs[0], costs[1], ratio)
    }

    /// One side alone, for a profiler.
    func repeatOnly(_ name: String, count: Int) async throws {
        let side = try await self.connect(name == "fetch" ? .own : .peer, false)
        for _ in 0..<count { try await side.call() }
        try await side.shutdown()
    }

    private enum Who {
        case own
        case peer
    }

    /// A side with connections of its own, one of them open.
    private func connect(_ who: Who, _ isControl: Bool) async throws -> Side {
        let side = who == .own && !isControl ? try await Side.fetcher(self.url) : Side.asyncHTTPClient(self.url)
        try await side.call()
        return side
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
