// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import InMemoryLogging
internal import InMemoryTracing
internal import Instrumentation
internal import Logging
internal import Metrics
internal import MetricsTestKit
internal import Synchronization
internal import Tessera
internal import TesseraOAuth
internal import Tracing

/// Everything that a program could write anywhere: what is printed, thrown, logged, counted and traced.
final class Outputs: Sendable {
    /// Counts and spans of all tests of this process: their systems exist once.
    static let systems: (metrics: TestMetrics, tracer: InMemoryTracer) = {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
        return (metrics, tracer)
    }()

    let log = InMemoryLogHandler()
    private let texts = Mutex<[String]>([])

    init() { _ = Self.systems }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in self.log }
        logger.logLevel = .trace
        return logger
    }

    /// Every way in which Swift shows a value.
    func take(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        var children = ""
        for child in Mirror(reflecting: value).children { print(child, to: &children) }
        let guidance = (value as? any ErrorGuidance).map { "\($0.whatToDo) \($0.description)" } ?? ""
        let texts = ["\(value)", String(describing: value), String(reflecting: value), dumped, children, guidance]
        self.texts.withLock { $0 += texts }
    }

    /// The value, or the error shown in every way.
    @discardableResult
    func take<Value: Sendable>(_ work: () async throws -> Value) async -> Value? {
        do {
            let value = try await work()
            self.take(value as Any)
            return value
        } catch {
            self.take(error)
            return nil
        }
    }

    /// All of it as one text.
    var text: String {
        var all = self.texts.withLock { $0 }
        for entry in self.log.entries {
            all.append("\(entry.level) \(entry.message) \(entry.metadata) \(String(describing: entry.error))")
        }
        for metric in Self.systems.metrics.counters { all.append("\(metric.label) \(metric.dimensions)") }
        for metric in Self.systems.metrics.timers { all.append("\(metric.label) \(metric.dimensions)") }
        for metric in Self.systems.metrics.recorders { all.append("\(metric.label) \(metric.dimensions)") }
        for span in Self.systems.tracer.finishedSpans {
            all.append("\(span.operationName) \(span.events) \(span.errors.map { "\($0.error) \($0.attributes)" })")
            // swift-format-ignore: ReplaceForEachWithForLoop
            span.attributes.forEach { name, value in all.append("\(name) \(value)") }
        }
        return all.joined(separator: "\n")
    }
}
