// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import TesseraOAuth

/// Signs people in, keeps their sessions, and reads their Drive while they are away.
///
/// Its settings come from the environment, see ``BackendSettings``.
@main
enum BackendProgram {
    static func main() async {
        do {
            let settings = try BackendSettings.fromEnvironment()
            // Before anything makes a logger or a metric. A tracer is bootstrapped here, too: swift-otel's, for example.
            LoggingSystem.bootstrap { label in
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = settings.logLevel
                return handler
            }
            let metrics = MetricsPage()
            MetricsSystem.bootstrap(metrics)
            try await Self.run(settings, metrics)
        } catch let error as any ErrorGuidance {
            Self.fail("\(error). \(error.recoverySuggestion ?? "")")
        } catch {
            Self.fail("\(error)")
        }
    }

    private static func run(_ settings: BackendSettings, _ metrics: MetricsPage) async throws {
        let logger = Logger(label: "backend")
        let backend = try await Backend(settings, logger: logger)
        let readiness = Readiness()
        let application = Application(
            router: BackendRouter.make(backend, readiness, metrics),
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                serverName: nil
            ),
            onServerRunning: { channel in
                logger.notice("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
            },
            logger: logger
        )
        // They end in the opposite order: first nobody is sent here any more, then requests and the job come to their
        // end, then refreshes that are under way.
        let services: [any Service] = [
            RefreshSettling(signIn: backend.signIn), AwayJob(backend: backend), application, readiness,
        ]
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("backend: \(text)\n".utf8))
        exit(1)
    }
}
