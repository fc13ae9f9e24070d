// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// All traits. With Scripts/settings, they are the default traits. SwiftPM passes those to the compiler in the same order
// as in a build of the root package, so that builds in one scratch path compile the library only once.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["TESSERA_ALL_TRAITS"] == nil
    ? ["AsyncHTTPClient", "GRPC", "LocalProvider", "SQLite", "PostgreSQL"] : [.defaults]

// The `tessera` command, the programs that it starts, and their tests. Like any other package, they only use public
// declarations of the library.
let package = Package(
    name: "tessera-programs",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "tessera", targets: ["TesseraProgram"]),
        .executable(name: "tessera-databases", targets: ["TesseraDatabasesProgram"]),
        .executable(name: "tessera-api", targets: ["TesseraAPIProgram"]),
        .executable(name: "tessera-provider", targets: ["TesseraProviderCommand"]),
    ],
    dependencies: [
        .package(
            name: "tessera",
            path: "../",
            traits: traits
        ),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "TesseraConsole",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "TesseraCommand",
            dependencies: [
                "TesseraConsole",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraAgent", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraGoogleAPI", package: "tessera"),
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraMigration", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "TesseraUserAgents", package: "tessera"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(name: "TesseraProgram", dependencies: ["TesseraCommand", "TesseraConsole"]),
        .executableTarget(
            name: "TesseraDatabasesProgram",
            dependencies: [
                "TesseraAPICommand", "TesseraCommand", "TesseraConsole",
                .product(name: "TesseraPostgreSQL", package: "tessera"),
                .product(name: "TesseraSQLite", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
            ]
        ),
        .target(
            name: "TesseraAPICommand",
            dependencies: [
                "TesseraCommand", "TesseraConsole",
                .product(name: "GoogleCalendarV3", package: "tessera"),
                .product(name: "GoogleDriveV3", package: "tessera"),
                .product(name: "GoogleGmailV1", package: "tessera"),
                .product(name: "GoogleStorageV1", package: "tessera"),
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraAPIGenerator", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraGoogleAPI", package: "tessera"),
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .executableTarget(name: "TesseraAPIProgram", dependencies: ["TesseraAPICommand"]),
        .executableTarget(
            name: "TesseraProviderCommand",
            dependencies: [
                "TesseraConsole", "TesseraDemoCommand",
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraLocalProvider", package: "tessera"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "TesseraDemoCommand",
            dependencies: [
                "TesseraConsole",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraLocalProvider", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "TesseraUserAgents", package: "tessera"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),

        // Tests. The probes are programs that the tests start.
        .executableTarget(
            name: "SchemeProbe",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraUserAgents", package: "tessera"),
            ],
            path: "Tests/SchemeProbe"
        ),
        .executableTarget(
            name: "AgentProbe",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraAgent", package: "tessera"),
            ],
            path: "Tests/AgentProbe"
        ),
        .testTarget(
            name: "TesseraCommandTests",
            dependencies: [
                "TesseraCommand", "TesseraConsole", "TesseraProgram", "TesseraDatabasesProgram",
                "TesseraAPIProgram", "TesseraProviderCommand", "SchemeProbe", "AgentProbe",
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGTMAppAuth", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
                .product(name: "TesseraJOSE", package: "tessera"),
                .product(name: "TesseraJSON", package: "tessera"),
                .product(name: "TesseraLocalProvider", package: "tessera"),
                .product(name: "TesseraMigration", package: "tessera"),
                .product(name: "TesseraOAuth", package: "tessera"),
                .product(name: "TesseraStores", package: "tessera"),
                .product(name: "TesseraTesting", package: "tessera"),
                .product(name: "TesseraUserAgents", package: "tessera"),
                .product(name: "TestPrograms", package: "tessera"),
                .product(name: "TestTraits", package: "tessera"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// See the library's manifest.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    if Context.environment["TESSERA_WARNINGS_AS_ERRORS"] != nil {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}
