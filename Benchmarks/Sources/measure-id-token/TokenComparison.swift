// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import TesseraJOSE

/// Compares all verifiers in many short rounds, so that disturbances affect them equally.
enum TokenComparison {
    static func run(_ algorithm: JWSAlgorithm, rounds: Int) async throws {
        let verifiers = try await Self.verifiers(algorithm)
        var durations: [[Double]] = verifiers.map { _ in [] }
        for round in 0...rounds {
            for (location, verifier) in verifiers.enumerated() {
                let duration = try await Self.nanoseconds(verifier, count: 200)
                if round > 0 { durations[location].append(duration) }
            }
        }
        for (verifier, own) in zip(verifiers, durations) {
            // The first verifier is the bare signature check.
            let ratios = zip(durations[0], own).map { $0 / $1 }
            print(algorithm, verifier.name, 1e9 / median(own), median(ratios), try await Self.allocations(verifier))
        }
    }

    /// Runs one of the verifiers repeatedly, for a profiler.
    static func repeatOnly(_ algorithm: JWSAlgorithm, _ name: String, count: Int) async throws {
        for verifier in try await Self.verifiers(algorithm) where verifier.name == name {
            for number in 0..<count { try await verifier.verify(number) }
        }
    }

    private static func verifiers(_ algorithm: JWSAlgorithm) async throws -> [Verifier] {
        let tokens = try SignedTokens(algorithm)
        return [try .bare(tokens), try .tessera(tokens), try await .jwtKit(tokens)]
    }

    private static func nanoseconds(_ verifier: Verifier, count: Int) async throws -> Double {
        let start = ProcessorTime.process
        for number in 0..<count { try await verifier.verify(number) }
        return (ProcessorTime.process - start) / Double(count)
    }

    private static func allocations(_ verifier: Verifier) async throws -> String {
        let count = 100
        guard let before = Allocations.count else { return "unknown" }
        for number in 0..<count { try await verifier.verify(number) }
        guard let after = Allocations.count, after >= before else { return "unknown" }
        return "\(Double(after - before) / Double(count))"
    }
}
