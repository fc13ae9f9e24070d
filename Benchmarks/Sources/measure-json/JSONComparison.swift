// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

/// Compares all readers in many rounds, so that disturbances affect them equally.
enum JSONComparison {
    static func run(rounds: Int, isIndented: Bool) throws {
        let text = JSONText(megabytes: 1, isIndented: isIndented)
        try Reader.check(text)
        let form = isIndented ? "indented" : "compact"
        for (own, peer) in [(Reader.tree, Reader.jsonSerialization), (.members, .jsonDecoder)] {
            var speeds: (own: [Double], peer: [Double], ratio: [Double]) = ([], [], [])
            for round in 0...rounds {
                let ownSpeed = try Self.megabytesPerSecond(own, text, times: 10)
                let peerSpeed = try Self.megabytesPerSecond(peer, text, times: 2)
                guard round > 0 else { continue }
                speeds.own.append(ownSpeed)
                speeds.peer.append(peerSpeed)
                speeds.ratio.append(ownSpeed / peerSpeed)
            }
            print(form, own.rawValue, peer.rawValue, median(speeds.own), median(speeds.peer), median(speeds.ratio))
        }
    }

    /// Prints the time per megabyte for texts of several sizes, to check that it does not grow with the size.
    static func linearity(rounds: Int, megabytes sizes: [Int]) throws {
        let texts = sizes.map { JSONText(megabytes: $0, isIndented: true) }
        var speeds: [[Double]] = sizes.map { _ in [] }
        for _ in 0..<rounds {
            for (location, text) in texts.enumerated() {
                let times = max(1, (sizes.max() ?? 1) / sizes[location] / 4)
                speeds[location].append(try Self.megabytesPerSecond(.tree, text, times: times))
            }
        }
        for (size, speeds) in zip(sizes, speeds) { print("linear", size, 1_000 / median(speeds)) }
    }

    private static func megabytesPerSecond(_ reader: Reader, _ text: JSONText, times: Int) throws -> Double {
        let start = ProcessorTime.thread
        for _ in 0..<times { try reader.read(text) }
        return Double(text.bytes.count * times) / (ProcessorTime.thread - start) * 1_000
    }
}
