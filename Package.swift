// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// Only platforms for servers and command-line tools. Apps on other Apple platforms use URLSession and do not build
// async-http-client.
let asyncHTTPClient = TargetDependencyCondition.when(
    platforms: [.linux, .android, .windows, .macOS],
    traits: ["AsyncHTTPClient"]
)

// Platforms on which a process can start other programs.
let whereProgramsRun = TargetDependencyCondition.when(platforms: [.linux, .macOS])

let package = Package(
    name: "tessera",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "TesseraJSON", targets: ["TesseraJSON"]),
        .library(name: "TesseraJOSE", targets: ["TesseraJOSE"]),
        .library(name: "TesseraOAuth", targets: ["TesseraOAuth"]),
        .library(name: "Tessera", targets: ["Tessera"]),
        .library(name: "TesseraStores", targets: ["TesseraStores"]),
        .library(name: "TesseraUserAgents", targets: ["TesseraUserAgents"]),
        .library(name: "TesseraCurl", targets: ["TesseraCurl"]),
        .library(name: "TesseraAsyncHTTPClient", targets: ["TesseraAsyncHTTPClient"]),
        .library(name: "TesseraURLSession", targets: ["TesseraURLSession"]),
        .library(name: "TesseraSecretService", targets: ["TesseraSecretService"]),
        .library(name: "TesseraDefaults", targets: ["TesseraDefaults"]),
        .library(name: "TesseraFetch", targets: ["TesseraFetch"]),
        .library(name: "TesseraGRPC", targets: ["TesseraGRPC"]),
        .library(name: "TesseraGoogle", targets: ["TesseraGoogle"]),
        .library(name: "TesseraGoogleAPI", targets: ["TesseraGoogleAPI"]),
        .library(name: "TesseraSQLite", targets: ["TesseraSQLite"]),
        .library(name: "TesseraPostgreSQL", targets: ["TesseraPostgreSQL"]),
        .library(name: "TesseraAgent", targets: ["TesseraAgent"]),
        .library(name: "TesseraMigration", targets: ["TesseraMigration"]),
        .library(name: "TesseraSignInButton", targets: ["TesseraSignInButton"]),
        .library(name: "TesseraGTMAppAuth", targets: ["TesseraGTMAppAuth"]),
        .library(name: "TesseraGoogleSignIn", targets: ["TesseraGoogleSignIn"]),
        .library(name: "TesseraTesting", targets: ["TesseraTesting"]),
        .library(name: "TesseraSimulation", targets: ["TesseraSimulation"]),
        .library(name: "TesseraLocalProvider", targets: ["TesseraLocalProvider"]),
        .library(name: "TesseraAPIGenerator", targets: ["TesseraAPIGenerator"]),
        .executable(name: "google-api-generator", targets: ["google-api-generator"]),
        .plugin(name: "GenerateGoogleAPI", targets: ["GenerateGoogleAPI"]),
    ],
    traits: [
        .trait(
            name: "AsyncHTTPClient",
            description: "The transport on async-http-client, for programs that use SwiftNIO anyway."
        ),
        .trait(name: "SQLite", description: "The store in an SQLite database: the many users of one server."),
        .trait(name: "PostgreSQL", description: "The store in PostgreSQL, by libpq: any number of machines."),
        .trait(name: "GRPC", description: "Bearer tokens for the calls of grpc-swift-2."),
        .trait(name: "LocalProvider", description: "A Google-like provider for demos, offline work and tests."),
        .trait(
            name: "LocalProviderTLS",
            description: "The local provider with https and PEM certificates.",
            enabledTraits: ["LocalProvider"]
        ),
        // The Swift Package Index sets the first variable to build the documentation, Scripts/settings the second.
        .default(
            enabledTraits: ["SPI_GENERATE_DOCS", "TESSERA_ALL_TRAITS"].allSatisfy { Context.environment[$0] == nil }
                ? [] : ["AsyncHTTPClient", "GRPC", "LocalProvider", "LocalProviderTLS", "SQLite", "PostgreSQL"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2.git", from: "2.3.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport.git", from: "2.9.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.5.0"),
    ],
    targets: [
        .target(name: "CTesseraPOSIX"),
        .target(name: "TesseraSupport", dependencies: ["CTesseraPOSIX"]),

        // The protocol.
        .target(name: "TesseraJSON"),
        .target(
            name: "TesseraJOSE",
            dependencies: [
                "TesseraSupport", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "TesseraOAuth",
            dependencies: [
                "TesseraSupport", "TesseraJOSE", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),

        // Sessions and sign-in.
        .target(
            name: "Tessera",
            dependencies: [
                "TesseraSupport", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .target(name: "LoopbackHTTP", dependencies: ["TesseraSupport", "CTesseraPOSIX"]),
        .target(
            name: "TesseraUserAgents",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraOAuth", "LoopbackHTTP", "CTesseraPOSIX",
            ]
        ),

        // Stores.
        .target(
            name: "TesseraStores",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraOAuth",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(name: "CTesseraSecretService"),
        .target(
            name: "TesseraSecretService",
            dependencies: ["TesseraSupport", "CTesseraSecretService", "Tessera", "TesseraStores"]
        ),

        // Transports.
        .target(
            name: "TesseraAsyncHTTPClient",
            dependencies: [
                "TesseraSupport", "TesseraOAuth",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: asyncHTTPClient),
                .product(name: "NIOCore", package: "swift-nio", condition: asyncHTTPClient),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: asyncHTTPClient),
                .product(name: "NIOPosix", package: "swift-nio", condition: asyncHTTPClient),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: asyncHTTPClient),
            ]
        ),
        // The system's libcurl, loaded as a dynamic library.
        .target(name: "CTesseraCurl", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),
        .target(
            name: "TesseraCurl",
            dependencies: [
                .target(name: "CTesseraCurl", condition: .when(platforms: [.linux])), "TesseraSupport", "TesseraOAuth",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraURLSession",
            dependencies: [
                "TesseraSupport", "TesseraOAuth",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraDefaults",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TesseraUserAgents", "TesseraGoogle",
                .target(name: "TesseraSecretService", condition: .when(platforms: [.linux])),
                .target(name: "TesseraCurl", condition: .when(platforms: [.linux])),
                .target(
                    name: "TesseraAsyncHTTPClient",
                    condition: .when(platforms: [.android, .windows], traits: ["AsyncHTTPClient"])
                ),
                .target(
                    name: "TesseraURLSession",
                    condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])
                ),
            ]
        ),

        // API calls.
        .target(
            name: "TesseraFetch",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraOAuth",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraGRPC",
            dependencies: [
                "Tessera", "TesseraOAuth",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraGoogleAPI",
            dependencies: [
                "TesseraSupport", "TesseraFetch", "Tessera", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                "TesseraGoogle",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(name: "TesseraAPIGenerator", dependencies: ["TesseraSupport", "TesseraJSON"]),
        .executableTarget(
            name: "google-api-generator",
            dependencies: ["TesseraSupport", "TesseraAPIGenerator"],
            path: "Tools/GoogleAPIGenerator"
        ),
        .plugin(
            name: "GenerateGoogleAPI",
            capability: .command(
                intent: .custom(
                    verb: "generate-google-api",
                    description: "Make a Swift module from the discovery document of an API that you trust"
                ),
                permissions: [
                    .writeToPackageDirectory(reason: "The module's sources are written into the package.")
                ]
            ),
            dependencies: ["google-api-generator"]
        ),
        .target(
            name: "TesseraGoogle",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The token agent.
        .target(
            name: "TesseraAgent",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraOAuth", "TesseraJSON", "LoopbackHTTP",
                "CTesseraPOSIX",
            ]
        ),

        // Migration from and compatibility with GoogleSignIn, AppAuth and GTMAppAuth.
        .target(
            name: "TesseraMigration",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                "TesseraGoogle",
            ]
        ),
        .target(
            name: "TesseraGTMAppAuth",
            dependencies: [
                "TesseraSupport", "TesseraMigration", "TesseraGoogle", "TesseraFetch", "TesseraDefaults",
                "TesseraUserAgents", "Tessera", "TesseraStores",
                "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(name: "TesseraSignInButton", dependencies: ["TesseraSupport", "TesseraOAuth"]),
        .target(
            name: "TesseraGoogleSignIn",
            dependencies: [
                "TesseraSignInButton", "TesseraSupport", "TesseraGTMAppAuth", "TesseraGoogle", "TesseraDefaults",
                "TesseraUserAgents",
                "Tessera", "TesseraStores",
                "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
            ]
        ),

        // Database stores.
        .target(
            name: "TesseraSQLite",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .systemLibrary(
            name: "CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "TesseraPostgreSQL",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),

        // Testing, demos and offline development.
        .target(
            name: "TesseraTesting",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                "LoopbackHTTP",
                "CTesseraPOSIX",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraSimulation",
            dependencies: [
                "TesseraSupport", "TesseraFetch", "Tessera", "TesseraStores", "TesseraOAuth",
                "TesseraJOSE", "TesseraJSON",
                .target(name: "TesseraPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "TesseraLocalProvider",
            dependencies: [
                "TesseraSupport", "TesseraJOSE", "TesseraJSON", "TesseraOAuth",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["LocalProvider"])),
                .product(
                    name: "NIOHTTPTypes",
                    package: "swift-nio-extras",
                    condition: .when(traits: ["LocalProvider"])
                ),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["LocalProviderTLS"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["LocalProviderTLS"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["LocalProvider"])),
                .product(
                    name: "HummingbirdCore",
                    package: "hummingbird",
                    condition: .when(traits: ["LocalProvider"])
                ),
                .product(
                    name: "HummingbirdTLS",
                    package: "hummingbird",
                    condition: .when(traits: ["LocalProviderTLS"])
                ),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["LocalProviderTLS"])),
            ]
        ),

        // Tests.
        .testTarget(name: "TesseraSupportTests", dependencies: ["TesseraSupport"]),
        .testTarget(name: "TesseraJSONTests", dependencies: ["TesseraJSON"]),
        .testTarget(
            name: "TesseraJOSETests",
            dependencies: [
                "TesseraJOSE", "TesseraJSON",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "TesseraOAuthTests",
            dependencies: [
                "TesseraSupport", "TesseraOAuth", "TesseraJOSE", "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(name: "LoopbackHTTPTests", dependencies: ["TesseraSupport", "LoopbackHTTP", "TesseraTesting"]),
        .testTarget(
            name: "TesseraTestingTests",
            dependencies: [
                "TesseraTesting", "TesseraOAuth", "LoopbackHTTP",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "Simulator",
            dependencies: ["TesseraSupport", "TesseraSimulation"],
            path: "Tests/Simulator"
        ),
        .testTarget(
            name: "TesseraSimulationTests",
            dependencies: [
                "TesseraSupport", "TesseraSimulation", "Tessera", "TesseraOAuth",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "StoreProbe",
            dependencies: [
                "Tessera", "TesseraStores", "TesseraOAuth", "TesseraSQLite", "TesseraPostgreSQL", "TesseraTesting",
            ],
            path: "Tests/StoreProbe"
        ),
        .testTarget(
            name: "TesseraTests",
            dependencies: [
                "TesseraSupport", "TesseraFetch", "Tessera", "TesseraStores", "TesseraOAuth",
                .target(name: "StoreProbe", condition: whereProgramsRun),
                .target(name: "TestPrograms", condition: whereProgramsRun),
                "TesseraJOSE", "TesseraJSON",
                "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(
            name: "TesseraStoresTests",
            dependencies: [
                "TesseraSupport", "TesseraStores", "Tessera", "TesseraOAuth", "TesseraJSON", "TesseraTesting",
                .target(name: "StoreProbe", condition: whereProgramsRun),
                .target(name: "TestPrograms", condition: whereProgramsRun),
            ],
            exclude: ["Fixtures"]
        ),
        .target(name: "TestPrograms", dependencies: ["TesseraSupport"], path: "Tests/TestPrograms"),
        .target(
            name: "TestTransport",
            dependencies: [
                "TesseraOAuth", "TesseraURLSession",
                .target(name: "TesseraCurl", condition: .when(platforms: [.linux])),
                .target(name: "TesseraAsyncHTTPClient", condition: asyncHTTPClient),
            ],
            path: "Tests/TestTransport"
        ),
        .executableTarget(
            name: "SecretServiceProbe",
            dependencies: ["TesseraSupport", "TesseraSecretService", "Tessera", "TesseraStores", "TesseraTesting"],
            path: "Tests/SecretServiceProbe"
        ),
        .testTarget(
            name: "TesseraSecretServiceTests",
            dependencies: [
                "TestPrograms", "SecretServiceProbe", "TesseraSecretService", "Tessera", "TesseraStores",
                "TesseraTesting",
            ]
        ),
        .testTarget(
            name: "TesseraSQLiteTests",
            dependencies: [
                "TesseraSQLite", "Tessera", "TesseraStores", "TesseraTesting",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "TesseraPostgreSQLTests",
            dependencies: [
                .target(name: "CTesseraTestLookup", condition: .when(platforms: [.linux])),
                "TesseraSupport", "TestPrograms", "TesseraPostgreSQL", "Tessera", "TesseraStores", "TesseraOAuth",
                "TesseraTesting",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "TesseraUserAgentsTests",
            dependencies: [
                "TesseraSupport", "TestPrograms", "TesseraUserAgents", "Tessera", "TesseraOAuth",
                "TesseraTesting",
                "LoopbackHTTP",
                "CTesseraPOSIX",
            ]
        ),
        .target(name: "CTesseraTestLookup", path: "Tests/CTesseraTestLookup"),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                .target(name: "CTesseraTestLookup", condition: .when(platforms: [.linux])),
                "TesseraAsyncHTTPClient", "TesseraURLSession", "TesseraOAuth", "TesseraTesting", "LoopbackHTTP",
                "TesseraCurl", "TesseraSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: asyncHTTPClient),
                .product(name: "NIOCore", package: "swift-nio", condition: asyncHTTPClient),
                .product(name: "NIOPosix", package: "swift-nio", condition: asyncHTTPClient),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: asyncHTTPClient),
                .product(name: "X509", package: "swift-certificates", condition: .when(traits: ["LocalProviderTLS"])),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["LocalProviderTLS"])),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "TesseraSupport", "Tessera", "TestTransport", "TesseraOAuth",
                "TesseraJOSE",
                "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraGRPCTests",
            dependencies: [
                "TesseraSupport", "TesseraGRPC", "TesseraFetch", "Tessera", "TesseraOAuth", "TesseraTesting",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix",
                    package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["GRPC"])
                ),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraFetchTests",
            dependencies: [
                "TesseraSupport", "TesseraFetch", "Tessera", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraGoogleAPITests",
            dependencies: [
                "TesseraSupport", "TesseraGoogleAPI", "TesseraGoogle", "TesseraFetch", "Tessera", "TesseraOAuth",
                "TesseraJOSE", "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraGoogleTests",
            dependencies: [
                "TesseraSupport", "TesseraGoogle", "Tessera", "TesseraOAuth", "TesseraJOSE", "TesseraJSON",
                "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "GuideTests",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TesseraJOSE", "TesseraDefaults",
                "TesseraFetch",
                "TesseraGoogle",
                "TesseraGoogleAPI", "GoogleDriveV3", "GoogleGmailV1", "GoogleStorageV1", "TesseraMigration",
                "TesseraGTMAppAuth",
                "TesseraGoogleSignIn", "TesseraAgent",
                "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraMigrationTests",
            dependencies: [
                "TesseraSupport", "TesseraMigration", "TesseraGTMAppAuth", "TesseraGoogle", "Tessera", "TesseraStores",
                "TesseraOAuth",
                "TesseraJOSE",
                "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraAgentTests",
            dependencies: [
                "TesseraSupport", "TesseraAgent", "TesseraFetch", "Tessera", "TesseraOAuth",
                "TesseraJSON",
                "TesseraTesting",
                "LoopbackHTTP", "CTesseraPOSIX",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraGTMAppAuthTests",
            dependencies: [
                "TesseraSupport", "TesseraGTMAppAuth", "TesseraDefaults", "Tessera", "TesseraStores", "TesseraOAuth",
                "TesseraJOSE",
                "TesseraJSON",
                "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(name: "OriginalNamesTests", dependencies: ["TesseraGTMAppAuth", "TesseraGoogleSignIn"]),
        // The same sources in the language modes of apps written for the original libraries.
        .testTarget(
            name: "OriginalNamesSwift5Tests",
            dependencies: ["TesseraGTMAppAuth", "TesseraGoogleSignIn"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "OriginalNamesMainActorTests",
            dependencies: ["TesseraGTMAppAuth", "TesseraGoogleSignIn"],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        // Programs that call the original libraries as their samples do, for the integration tests.
        .target(
            name: "OriginalSamples",
            dependencies: ["TesseraGTMAppAuth", "TesseraGoogleSignIn", "Tessera"],
            path: "Tests/OriginalSamples",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(name: "TesseraSignInButtonTests", dependencies: ["TesseraSignInButton", "TesseraOAuth"]),
        .testTarget(
            name: "TesseraGoogleSignInTests",
            dependencies: [
                "TesseraSupport", "TesseraGoogleSignIn", "TesseraGTMAppAuth", "TesseraGoogle", "TesseraDefaults",
                "Tessera", "TesseraStores", "TesseraOAuth", "TesseraJOSE",
                "TesseraJSON", "TesseraTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "TesseraLocalProviderTests",
            dependencies: [
                "TesseraSupport", "TesseraLocalProvider", "TestTransport", "TesseraJOSE", "TesseraJSON",
                "TesseraOAuth",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "RefreshProbe",
            dependencies: [
                "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TestTransport",
                "TesseraUserAgents",
                "TesseraSQLite", "TesseraPostgreSQL",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/RefreshProbe"
        ),
        .executableTarget(
            name: "CredentialsProbe",
            dependencies: [
                "Tessera", "TesseraOAuth", "TesseraJSON", "TesseraGoogle", "TesseraGoogleAPI", "GoogleStorageV1",
                "TestTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/CredentialsProbe"
        ),
        .target(name: "CTesseraAppContainer", path: "Tests/CTesseraAppContainer"),
        .executableTarget(
            name: "AppContainerProbe",
            dependencies: [
                "CTesseraAppContainer", "TesseraSupport", "Tessera", "TesseraStores", "TesseraOAuth", "TesseraTesting",
                "TesseraGTMAppAuth", "TesseraGoogleSignIn",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/AppContainerProbe"
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "AppContainerProbe", "OriginalSamples", "TesseraGTMAppAuth", "TesseraGoogleSignIn", "LoopbackHTTP",
                "TesseraSupport", "RefreshProbe", "StoreProbe", "CredentialsProbe", "TestPrograms", "Tessera",
                "TesseraStores",
                "TesseraOAuth",
                "TesseraJOSE", "TesseraJSON",
                "TesseraDefaults",
                "TesseraUserAgents", "TesseraGoogle",
                "TesseraFetch", "TesseraGoogleAPI", "TesseraTesting", "TesseraLocalProvider", "TestTransport",
                "TesseraSQLite", "TesseraPostgreSQL", "GoogleDriveV3", "GoogleGmailV1", "GoogleStorageV1",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The generated Google APIs. See GoogleAPIs/README.md.
let apis = [
    "CalendarV3", "DocsV1", "DriveV3", "GmailV1", "OAuth2V2", "PeopleV1", "SheetsV4", "SlidesV1", "StorageV1",
    "TasksV1",
    "YouTubeV3",
]
for module in apis.map({ "Google\($0)" }) {
    package.products.append(.library(name: module, targets: [module]))
    package.targets.append(
        .target(name: module, dependencies: ["TesseraGoogleAPI", "TesseraOAuth"], path: "GoogleAPIs/\(module)")
    )
}
package.targets.append(
    .testTarget(
        name: "GoogleAPIsTests",
        dependencies: apis.map { .target(name: "Google\($0)") } + [
            "TesseraGoogleAPI", "TesseraOAuth", "TesseraJSON", "TesseraTesting",
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        exclude: ["Fixtures"]
    )
)
package.targets.append(
    .testTarget(
        name: "TesseraAPIGeneratorTests",
        // Tests compile generated code with these libraries.
        dependencies: ["TestPrograms", "TesseraAPIGenerator", "TesseraGoogleAPI", "TesseraOAuth"]
    )
)

// The traits that all tests can use.
for target in package.targets where target.type == .test { target.dependencies.append("TestTraits") }
package.targets.append(.target(name: "TestTraits", path: "Tests/TestTraits"))

// The tests in Programs use these products. They are not intended for other packages.
let testSupport = ["TestPrograms", "TestTraits"]
package.products += testSupport.map { .library(name: $0, targets: [$0]) }

for target in package.targets where ![.system, .plugin].contains(target.type) && !target.name.hasPrefix("CTessera") {
    // Apps that were written for the original libraries do not use these features.
    if target.name != "OriginalSamples" {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
    }
    // A dependency is compiled with `-suppress-warnings`, which the compiler rejects together with this setting.
    if Context.environment["TESSERA_WARNINGS_AS_ERRORS"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}

// Optimizes the modules that the simulator uses, so that the tests' build simulates many histories in the same time.
if Context.environment["TESSERA_OPTIMIZED_SIMULATOR"] != nil {
    let simulated = [
        "TesseraSupport", "TesseraJSON", "TesseraJOSE", "TesseraOAuth", "Tessera", "TesseraStores", "TesseraFetch",
        "TesseraPostgreSQL", "TesseraSimulation",
    ]
    for target in package.targets where simulated.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"]))
    }
}

// Apple's privacy manifests, one in each library product. A resource adds a bundle and a dependency on Foundation, so
// they are resources only on macOS, where apps for Apple platforms are built.
let libraries = Set(package.products.compactMap { $0 as? Product.Library }.flatMap(\.targets)).subtracting(testSupport)
for target in package.targets where libraries.contains(target.name) {
    #if os(macOS)
    target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #else
    target.exclude.append("PrivacyInfo.xcprivacy")
    #endif
}
