// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Configuration
import Foundation
import Logging
import Tessera
import TesseraOAuth
import TesseraStores

/// The settings from the environment.
struct BackendSettings: Sendable {
    /// `HTTP_HOST`: the host name or address to listen at.
    var host: String
    /// `HTTP_PORT`: the port to listen at.
    var port: Int
    /// `PUBLIC_URL`: the URL of the site for browsers.
    ///
    /// The redirect URI to register is `/callback` below it.
    var publicURL: String
    /// `CLIENT_FILE`: the path of the web client's `client_secret.json`.
    var clientFile: String
    /// `APP_CLIENTS`: the client identifiers of the apps whose ID tokens the backend accepts.
    var appClients: [String]
    /// `DATABASE_URL`: the URL of a PostgreSQL database, or nil to use SQLite.
    var databaseURL: Secret?
    /// `DATABASE_PATH`: the path of the SQLite database.
    var databasePath: String
    /// `STORE_KEY`: the encryption key for stored data, 32 bytes in base64, shared by all instances.
    ///
    /// Optional for SQLite, which creates a key file by default.
    var storeKey: StoreKey?
    /// `LEASE_SECONDS`: how long accounts stay locked in PostgreSQL after an instance was killed.
    var leaseSeconds: Int
    /// `JOB_SECONDS`: the pause between two runs of the job, or 0 to disable the job.
    var jobSeconds: Double
    /// `JOB_CALLS`: the number of concurrent API calls of the job.
    var jobCalls: Int
    /// `DRAIN_SECONDS`: how long the readiness check fails before the server stops accepting requests.
    var drainSeconds: Double
    /// `API_ROOT_URL`: the URL of a server to use instead of Google's APIs, such as the local provider.
    var apiRootURL: String?
    /// `ALLOW_LOOPBACK_HTTP`: whether the provider may use HTTP at a loopback address.
    var allowsLoopbackHTTP: Bool
    /// `LOG_LEVEL`: the minimum level of log messages.
    var logLevel: Logger.Level

    static func fromEnvironment() throws -> BackendSettings {
        let settings = ConfigReader(provider: EnvironmentVariablesProvider())
        let port = settings.int(forKey: "http.port", default: 8080)
        return BackendSettings(
            host: settings.string(forKey: "http.host", default: "127.0.0.1"),
            port: port,
            publicURL: settings.string(forKey: "public.url", default: "http://127.0.0.1:\(port)"),
            clientFile: settings.string(forKey: "client.file", default: "client_secret.json"),
            appClients: settings.stringArray(forKey: "app.clients", default: []),
            databaseURL: settings.string(forKey: "database.url", isSecret: true).map { Secret($0) },
            databasePath: settings.string(forKey: "database.path", default: "backend.sqlite"),
            storeKey: try settings.string(forKey: "store.key", isSecret: true).map(Self.key),
            leaseSeconds: settings.int(forKey: "lease.seconds", default: 30),
            jobSeconds: settings.double(forKey: "job.seconds", default: 300),
            jobCalls: max(1, settings.int(forKey: "job.calls", default: 8)),
            drainSeconds: max(0, settings.double(forKey: "drain.seconds", default: 0)),
            apiRootURL: settings.string(forKey: "api.root.url"),
            allowsLoopbackHTTP: settings.bool(forKey: "allow.loopback.http", default: false),
            logLevel: Logger.Level(rawValue: settings.string(forKey: "log.level", default: "info")) ?? .info
        )
    }

    private static func key(_ text: String) throws -> StoreKey {
        guard let bytes = Data(base64Encoded: text) else {
            throw InvalidRequestError("STORE_KEY", reason: "not base64; create a key with 'openssl rand -base64 32'")
        }
        return try StoreKey(Array(bytes))
    }
}
