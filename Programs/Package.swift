// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// All traits. With Scripts/settings, they are the default traits. SwiftPM passes those to the compiler in the same order
// as in a build of the root package, so that builds in one scratch path compile the library only once.
// The demo needs only one trait, which saves a quarter of its build.
let traits: Set<Package.Dependency.Trait> =
    if Context.environment["TESSERA_DEMO"] != nil {
        ["LocalProvider"]
    } else if Context.environment["TESSERA_ALL_TRAITS"] != nil {
        [.defaults]
    } else {
        ["AsyncHTTPClient", "GRPC", "LocalProvider", "LocalProviderTLS", "SQLite", "PostgreSQL"]
    }

/// Returns dependencies on products of the library's package.
func tessera(_ products: [String]) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "tessera") }
}

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

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
            dependencies: tessera([
                "Tessera", "TesseraFetch", "TesseraGoogle", "TesseraJOSE", "TesseraJSON", "TesseraOAuth",
                "TesseraStores",
            ]) + [argumentParser, crypto]
        ),
        .target(
            name: "TesseraCommand",
            dependencies: ["TesseraConsole"]
                + tessera([
                    "Tessera", "TesseraAgent", "TesseraDefaults", "TesseraFetch", "TesseraGoogle", "TesseraGoogleAPI",
                    "TesseraJOSE", "TesseraJSON", "TesseraMigration", "TesseraOAuth", "TesseraStores",
                    "TesseraUserAgents",
                ]) + [argumentParser, crypto, httpTypes, .product(name: "Logging", package: "swift-log")]
        ),
        .executableTarget(name: "TesseraProgram", dependencies: ["TesseraCommand", "TesseraConsole"]),
        .executableTarget(
            name: "TesseraDatabasesProgram",
            dependencies: ["TesseraAPICommand", "TesseraCommand", "TesseraConsole"]
                + tessera(["TesseraPostgreSQL", "TesseraSQLite", "TesseraStores"])
        ),
        .target(
            name: "TesseraAPICommand",
            dependencies: ["TesseraCommand", "TesseraConsole"]
                + tessera([
                    "GoogleCalendarV3", "GoogleDriveV3", "GoogleGmailV1", "GoogleStorageV1", "Tessera",
                    "TesseraAPIGenerator", "TesseraDefaults", "TesseraFetch", "TesseraGoogle", "TesseraGoogleAPI",
                    "TesseraJSON", "TesseraOAuth", "TesseraStores",
                ]) + [argumentParser, httpTypes]
        ),
        .executableTarget(name: "TesseraAPIProgram", dependencies: ["TesseraAPICommand"]),
        .executableTarget(
            name: "TesseraProviderCommand",
            dependencies: ["TesseraConsole", "TesseraDemoCommand"] + tessera(["TesseraJSON", "TesseraLocalProvider"])
                + [argumentParser]
        ),
        .target(
            name: "TesseraDemoCommand",
            dependencies: ["TesseraConsole"]
                + tessera([
                    "Tessera", "TesseraDefaults", "TesseraFetch", "TesseraGoogle", "TesseraJOSE", "TesseraJSON",
                    "TesseraLocalProvider", "TesseraOAuth", "TesseraStores", "TesseraUserAgents",
                ]) + [argumentParser, httpTypes]
        ),

        // Tests. The probes are programs that the tests start.
        .executableTarget(
            name: "SchemeProbe",
            dependencies: tessera(["Tessera", "TesseraUserAgents"]),
            path: "Tests/SchemeProbe"
        ),
        .executableTarget(
            name: "AgentProbe",
            dependencies: tessera(["Tessera", "TesseraAgent"]),
            path: "Tests/AgentProbe"
        ),
        .testTarget(
            name: "TesseraCommandTests",
            dependencies: [
                "TesseraCommand", "TesseraConsole", "TesseraProgram", "TesseraDatabasesProgram", "TesseraAPIProgram",
                "TesseraProviderCommand", "SchemeProbe", "AgentProbe",
            ]
                + tessera([
                    "Tessera", "TesseraDefaults", "TesseraFetch", "TesseraGTMAppAuth", "TesseraGoogle", "TesseraJOSE",
                    "TesseraJSON", "TesseraLocalProvider", "TesseraMigration", "TesseraOAuth", "TesseraStores",
                    "TesseraTesting", "TesseraUserAgents", "TestPrograms", "TestTraits",
                ]) + [httpTypes]
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
