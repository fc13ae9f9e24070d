// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Benchmark
internal import BenchmarkSession
internal import Tessera

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(metrics: [.wallClock, .instructions, .throughput], scalingFactor: .kilo)

    Benchmark("Get a valid access token") { benchmark in
        let session = try await BenchmarkSession.make(transport: NoTransport())
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try await session.accessToken()) }
    }

    Benchmark("Encode and decode a session record") { benchmark in
        let record = try BenchmarkSession.record()
        for _ in benchmark.scaledIterations {
            blackHole(try SessionRecord(decoding: record.encoded(), location: "a benchmark"))
        }
    }
}
