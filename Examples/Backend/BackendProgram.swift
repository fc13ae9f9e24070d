// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import TesseraOAuth

/// A server that signs users in, stores their sessions, and reads their Drive while they are offline.
///
/// The environment contains the settings. See ``BackendSettings``.
@main
enum BackendProgram {
    static func main() async {
        do {
            let settings = try BackendSettings.fromEnvironment()
            // Bootstrap logging and metrics before any logger or metric is created. This is also the place to bootstrap
            // a tracer, for example swift-otel's.
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
        let readiness = Readiness(drainTime: .seconds(settings.drainSeconds))
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
        // Services shut down in reverse order: first the readiness check starts to fail, then requests and the job
        // finish, then refreshes in progress complete.
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
