// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// All traits. With Scripts/settings, they are the default traits. SwiftPM passes those to the compiler in the same order
// as in a build of the root package, so that builds in one scratch path compile the library only once.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["TESSERA_ALL_TRAITS"] == nil
    ? ["AsyncHTTPClient", "GRPC", "LocalProvider", "LocalProviderTLS", "SQLite", "PostgreSQL"] : [.defaults]

let package = Package(
    name: "tessera-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "tessera",
            path: "../",
            traits: traits
        ),
        .package(url: "https://github.com/ordo-one/benchmark.git", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
    ],
    targets: [
        .target(
            name: "BenchmarkSession",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),

        // The programs that ./compare runs. Each prints measurements.
        .executableTarget(
            name: "measure-session",
            dependencies: [
                "BenchmarkSession",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "measure-fetch",
            dependencies: [
                "BenchmarkSession",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "TesseraAsyncHTTPClient", package: "tessera"),
                .product(name: "TesseraCurl", package: "tessera"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "measure-transfer",
            dependencies: [
                "BenchmarkSession",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogleAPI", package: "tessera"),
                .product(name: "TesseraCurl", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(name: "BenchmarkDocuments"),
        .executableTarget(
            name: "measure-models",
            dependencies: [
                "BenchmarkSession", "BenchmarkDocuments",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "measure-pages",
            dependencies: [
                "BenchmarkSession", "BenchmarkDocuments",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraCurl", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "measure-json",
            dependencies: [
                "BenchmarkSession", "BenchmarkDocuments",
                .product(name: "TesseraOAuth", package: "tessera"),
            ]
        ),
        .executableTarget(
            name: "measure-id-token",
            dependencies: [
                "BenchmarkSession",
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .target(
            name: "BenchmarkStores",
            dependencies: [
                "BenchmarkSession",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraSQLite", package: "tessera"),
                .product(name: "TesseraPostgreSQL", package: "tessera"),
                .product(name: "TesseraSecretService", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(
            name: "measure-stores",
            dependencies: [
                "BenchmarkSession", "BenchmarkStores",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
            ]
        ),
        .executableTarget(
            name: "measure-sessions",
            dependencies: [
                "BenchmarkSession", "BenchmarkStores",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraCurl", package: "tessera"),
            ]
        ),
        .executableTarget(
            name: "hello-argument-parser",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),

        // The benchmarks that `swift package benchmark` runs.
        .executableTarget(
            name: "TesseraBenchmarks",
            dependencies: [
                "BenchmarkSession",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Tessera", package: "tessera"),
            ],
            path: "Benchmarks/TesseraBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
