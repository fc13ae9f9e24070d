// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import InMemoryLogging
internal import InMemoryTracing
internal import Instrumentation
internal import Logging
internal import Metrics
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import Tracing

/// Everything that a run could write anywhere: what is printed, thrown, logged, counted and traced.
final class Outputs: Sendable {
    /// The run whose counters are made now: the systems exist once, for all tests of this process.
    @TaskLocal static var current: Outputs?

    private static let tracer: InMemoryTracer = {
        let tracer = InMemoryTracer()
        MetricsSystem.bootstrap(RunMetrics())
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    private struct State {
        var texts: Set<String> = []
        var metrics: Set<String> = []
        var errors = 0
    }

    private let log = InMemoryLogHandler()
    private let traceID = Mutex("")
    private let state = Mutex(State())

    var logger: Logger {
        var logger = Logger(label: "test") { _ in self.log }
        logger.logLevel = .trace
        return logger
    }

    /// How many errors were taken.
    var errors: Int { self.state.withLock { $0.errors } }

    /// Runs `work`, whose spans and counters are this run's.
    func watching(_ work: () async throws -> Void) async throws {
        _ = Self.tracer
        try await withSpan("canary run") { _ in
            self.traceID.withLock { $0 = ServiceContext.current?.inMemorySpanContext?.traceID ?? "" }
            try await Self.$current.withValue(self) { try await work() }
        }
    }

    /// Takes the name and the dimensions of a metric.
    func count(_ label: String, _ dimensions: [(String, String)]) {
        let text = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        self.state.withLock { _ = $0.metrics.insert(text) }
    }

    /// Takes every way in which Swift shows a value.
    func take(_ value: Any) {
        var texts = Rendering.texts(value)
        if let error = value as? any ErrorGuidance {
            texts.append("\(error.recoverySuggestion ?? "") \(error.endsSession) \(error.isRetryable)")
        }
        if let value = value as? any Encodable, let json = try? JSONEncoder().encode(value) {
            texts.append(String(decoding: json, as: UTF8.self))
        }
        self.state.withLock { [texts] in $0.texts.formUnion(texts) }
    }

    /// Takes the value, or the error, of what does not wait.
    @discardableResult
    func attempt<Value>(_ work: () throws -> Value) -> Value? {
        do {
            let value = try work()
            self.take(value as Any)
            return value
        } catch {
            self.state.withLock { $0.errors += 1 }
            self.take(error)
            return nil
        }
    }

    /// Takes the value, or the error.
    @discardableResult
    func take<Value>(_ work: () async throws -> Value) async -> Value? {
        do {
            let value = try await work()
            self.take(value as Any)
            return value
        } catch {
            self.state.withLock { $0.errors += 1 }
            self.take(error)
            return nil
        }
    }

    /// All of it, one text for each output.
    var texts: [String] {
        var all = self.state.withLock { $0.texts.union($0.metrics) }
        for entry in self.log.entries {
            all.insert("\(entry.level) \(entry.message) \(entry.metadata) \(String(describing: entry.error))")
        }
        for span in self.spans {
            all.insert("\(span.operationName) \(span.events) \(span.errors.map { "\($0.error) \($0.attributes)" })")
            for error in span.errors { all.formUnion(Rendering.texts(error.error)) }
            // swift-format-ignore: ReplaceForEachWithForLoop
            span.attributes.forEach { name, value in all.insert("\(name) \(value)") }
        }
        return Array(all)
    }

    /// The ways in which exchanges of this name were seen: `log`, `span` and `counter` where nothing is missing, each with
    /// its outcome where it has one.
    func traces(of exchange: String, grantType: String? = nil, outcome: String) -> Set<String> {
        var seen: Set<String> = []
        let entries = self.log.entries.filter {
            $0.metadata["oauth.exchange"] == "\(exchange)" && $0.metadata["oauth.outcome"] == "\(outcome)"
                && (grantType == nil || $0.metadata["oauth.grant_type"].map { "\($0)" } == grantType)
        }
        if !entries.isEmpty { seen.insert("log") }
        let dimensions = (grantType.map { " grant_type=\($0)" } ?? "") + " outcome=\(outcome)"
        let metrics = self.state.withLock { $0.metrics }
        if metrics.contains("oauth.\(exchange).requests\(dimensions)") { seen.insert("counter") }
        if metrics.contains("oauth.\(exchange).duration\(dimensions)") { seen.insert("timer") }
        let spans = self.spans.filter {
            $0.operationName == "oauth.\(exchange)" && $0.errors.isEmpty == (outcome == "success")
        }
        if !spans.isEmpty { seen.insert("span") }
        return seen
    }

    private var spans: [FinishedInMemorySpan] {
        let traceID = self.traceID.withLock { $0 }
        return Self.tracer.finishedSpans.filter { $0.traceID == traceID }
    }
}
