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

/// Everything that a run outputs: descriptions, errors, logs, metrics and spans.
final class Outputs: Sendable {
    /// The run that receives metrics.
    ///
    /// The metrics system is shared by all tests of the process.
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

    /// The number of recorded errors.
    var errors: Int { self.state.withLock { $0.errors } }

    /// Runs `work` and records its spans and metrics.
    func watching(_ work: () async throws -> Void) async throws {
        _ = Self.tracer
        try await withSpan("canary run") { _ in
            self.traceID.withLock { $0 = ServiceContext.current?.inMemorySpanContext?.traceID ?? "" }
            try await Self.$current.withValue(self) { try await work() }
        }
    }

    /// Records the name and the dimensions of a metric.
    func count(_ label: String, _ dimensions: [(String, String)]) {
        let text = ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
        self.state.withLock { _ = $0.metrics.insert(text) }
    }

    /// Records every textual representation of a value.
    func record(_ value: Any) {
        var texts = Rendering.texts(value)
        if let error = value as? any ErrorGuidance {
            texts.append("\(error.recoverySuggestion ?? "") \(error.endsSession) \(error.isRetryable)")
        }
        if let value = value as? any Encodable, let json = try? JSONEncoder().encode(value) {
            texts.append(String(decoding: json, as: UTF8.self))
        }
        self.state.withLock { [texts] in $0.texts.formUnion(texts) }
    }

    /// Records the result or the error of synchronous work.
    @discardableResult
    func attempt<Value>(_ work: () throws -> Value) -> Value? {
        do {
            let value = try work()
            self.record(value as Any)
            return value
        } catch {
            self.state.withLock { $0.errors += 1 }
            self.record(error)
            return nil
        }
    }

    /// Records the result or the error of asynchronous work.
    @discardableResult
    func record<Value>(_ work: () async throws -> Value) async -> Value? {
        do {
            let value = try await work()
            self.record(value as Any)
            return value
        } catch {
            self.state.withLock { $0.errors += 1 }
            self.record(error)
            return nil
        }
    }

    /// All outputs, one text for each.
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

    /// Returns how exchanges with this name and outcome were reported: any of `log`, `span`, `counter` and `timer`.
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
