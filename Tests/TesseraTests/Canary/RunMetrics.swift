// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CoreMetrics

/// A metrics factory that attributes metrics to the current run, although the process has only one metrics system.
struct RunMetrics: MetricsFactory {
    private let none = NOOPMetricsHandler.instance

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Outputs.current?.count(label, dimensions)
        return self.none
    }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Outputs.current?.count(label, dimensions)
        return self.none
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Outputs.current?.count(label, dimensions)
        return self.none
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
