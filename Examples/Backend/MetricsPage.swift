// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import CoreMetrics
import Synchronization

/// A metrics factory that renders all metrics of the program for Prometheus.
///
/// This is a minimal replacement for swift-prometheus that saves this example a dependency. In production, bootstrap
/// swift-prometheus or swift-otel instead. Counters and meters are reported as values. Timers and recorders are
/// reported as a count and a sum, for timers in seconds.
final class MetricsPage: MetricsFactory {
    fileprivate enum Kind: String {
        case counter, gauge, summary
    }

    /// A metric with one combination of dimensions.
    final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler,
        Sendable
    {
        fileprivate let name: String
        fileprivate let kind: Kind
        fileprivate let dimensions: String
        fileprivate let state = Mutex((count: 0, sum: 0.0))
        private let unit: Double

        fileprivate init(_ name: String, _ kind: Kind, _ dimensions: String, unit: Double) {
            (self.name, self.kind, self.dimensions, self.unit) = (name, kind, dimensions, unit)
        }

        func increment(by amount: Int64) { self.add(Double(amount)) }
        func increment(by amount: Double) { self.add(amount) }
        func decrement(by amount: Double) { self.add(-amount) }
        func record(_ value: Int64) { self.add(Double(value)) }
        func record(_ value: Double) { self.add(value) }
        func recordNanoseconds(_ duration: Int64) { self.add(Double(duration)) }
        func set(_ value: Int64) { self.set(Double(value)) }
        func set(_ value: Double) { self.state.withLock { $0 = (1, value) } }
        func reset() { self.state.withLock { $0 = (0, 0) } }

        private func add(_ amount: Double) {
            self.state.withLock { state in
                state.count += 1
                state.sum += amount * self.unit
            }
        }

        fileprivate var lines: String {
            let (count, sum) = self.state.withLock { $0 }
            guard self.kind == .summary else { return "\(self.name)\(self.dimensions) \(sum)\n" }
            return "\(self.name)_count\(self.dimensions) \(count)\n\(self.name)_sum\(self.dimensions) \(sum)\n"
        }
    }

    private let series = Mutex<[String: Series]>([:])

    /// The metrics in the Prometheus text format.
    var text: String {
        let all = self.series.withLock { Array($0.values) }
        let byName = Dictionary(grouping: all, by: \.name).sorted { $0.key < $1.key }
        return
            byName.map { name, group in
                let lines = group.sorted { $0.dimensions < $1.dimensions }.map(\.lines).joined()
                return "# TYPE \(name) \(group[0].kind.rawValue)\n\(lines)"
            }
            .joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.make(label, .counter, dimensions)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        self.make(label, .counter, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.make(label, .gauge, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.make(label, .summary, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.make(label + "_seconds", .summary, dimensions, unit: 1e-9)
    }

    // Metrics are never removed, because Prometheus expects a series to persist.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func make(
        _ label: String,
        _ kind: Kind,
        _ dimensions: [(String, String)],
        unit: Double = 1
    ) -> Series {
        let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        let pairs = dimensions.map { key, value in
            let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(key.replacing(".", with: "_"))=\"\(value)\""
        }
        let text = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        return self.series.withLock { series in
            if let known = series[name + text], known.kind == kind { return known }
            let new = Series(name, kind, text, unit: unit)
            series[name + text] = new
            return new
        }
    }
}
