// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// All traits. With Scripts/settings, they are the default traits. SwiftPM passes those to the compiler in the same order
// as in a build of the root package, so that builds in one scratch path compile the library only once.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["TESSERA_ALL_TRAITS"] == nil
    ? ["AsyncHTTPClient", "GRPC", "LocalProvider", "LocalProviderTLS", "SQLite", "PostgreSQL"] : [.defaults]

/// The example programs.
///
/// To start from one of them, copy its folder and change the dependency on Tessera below.
let package = Package(
    name: "tessera-examples",
    // The servers' dependencies require macOS 15. The apps are separate projects, which require iOS 16 or macOS 13.
    platforms: [.macOS(.v15)],
    dependencies: [
        // The backend uses the database stores, and the tests use the local provider.
        .package(
            name: "tessera",
            path: "../",
            traits: traits
        ),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
    ],
    targets: [
        .executableTarget(
            name: "drive-list",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
            ],
            path: "CommandLine",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "four-steps",
            dependencies: [
                .product(name: "TesseraGoogleSignIn", package: "tessera"),
                .product(name: "TesseraGTMAppAuth", package: "tessera"),
            ],
            path: "FourSteps",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "desktop-notes",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraUserAgents", package: "tessera"),
            ],
            path: "LinuxDesktop",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "backend",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraGoogleAPI", package: "tessera"),
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraPostgreSQL", package: "tessera"),
                .product(name: "TesseraSQLite", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Backend",
            exclude: ["README.md"]
        ),
        .executableTarget(
            name: "delegated-drive",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraGoogleAPI", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "DelegatedDrive",
            exclude: ["README.md"]
        ),
        .testTarget(
            name: "DelegatedDriveTests",
            dependencies: [
                "delegated-drive",
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraLocalProvider", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "DelegatedDriveTests"
        ),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "backend",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraLocalProvider", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "BackendTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
