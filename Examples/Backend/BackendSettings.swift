// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Configuration
import Foundation
import Logging
import Tessera
import TesseraOAuth
import TesseraStores

/// What the environment says.
struct BackendSettings: Sendable {
    /// `HTTP_HOST` and `HTTP_PORT`: where to listen.
    var host: String
    var port: Int
    /// `PUBLIC_URL`: where browsers find this site; `/callback` there is the redirect URI to register.
    var publicURL: String
    /// `CLIENT_FILE`: the `client_secret.json` of the web client.
    var clientFile: String
    /// `APP_CLIENTS`: the identifiers of the program's apps, whose ID tokens are taken.
    var appClients: [String]
    /// `DATABASE_URL`: a PostgreSQL server; without it an SQLite database is used.
    var databaseURL: Secret?
    /// `DATABASE_PATH`: the SQLite database.
    var databasePath: String
    /// `STORE_KEY`: 32 bytes in base64 that seal what is stored, the same for every instance; for SQLite it may be left
    /// to a key file.
    var storeKey: StoreKey?
    /// `LEASE_SECONDS`: how long PostgreSQL keeps an account locked for an instance that was killed.
    var leaseSeconds: Int
    /// `JOB_SECONDS`: the pause between two rounds of the job; 0 is no job.
    var jobSeconds: Double
    /// `JOB_CALLS`: how many calls the job makes at once.
    var jobCalls: Int
    /// `API_ROOT_URL`: in place of Google's APIs, the local provider for example.
    var apiRootURL: String?
    /// `ALLOW_LOOPBACK_HTTP`: whether the provider may be at a loopback address without TLS.
    var allowsLoopbackHTTP: Bool
    /// `LOG_LEVEL`.
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
            apiRootURL: settings.string(forKey: "api.root.url"),
            allowsLoopbackHTTP: settings.bool(forKey: "allow.loopback.http", default: false),
            logLevel: Logger.Level(rawValue: settings.string(forKey: "log.level", default: "info")) ?? .info
        )
    }

    private static func key(_ text: String) throws -> StoreKey {
        guard let bytes = Data(base64Encoded: text) else {
            throw InvalidRequestError("STORE_KEY", reason: "not base64; make one with: openssl rand -base64 32")
        }
        return try StoreKey(Array(bytes))
    }
}
