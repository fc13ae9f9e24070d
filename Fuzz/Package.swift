// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

/// Returns a fuzz target, which uses the corpus in `Corpus/<name>`.
func fuzzTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: ["Oracles"] + dependencies)
}

let jose = Target.Dependency.product(name: "TesseraJOSE", package: "tessera")
let oauth = Target.Dependency.product(name: "TesseraOAuth", package: "tessera")
// LoopbackHTTP is an internal target of TesseraUserAgents and has no product.
let userAgents = Target.Dependency.product(name: "TesseraUserAgents", package: "tessera")
let migration = Target.Dependency.product(name: "TesseraMigration", package: "tessera")
let tessera = Target.Dependency.product(name: "Tessera", package: "tessera")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "tessera-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "tessera", path: "../", traits: []),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0", traits: []),
    ],
    targets: [
        // Independent implementations that the targets compare results with.
        .target(name: "Oracles"),

        fuzzTarget("fuzz-redirect", [oauth, jose, httpTypes]),
        fuzzTarget("fuzz-form", [oauth]),
        fuzzTarget("fuzz-json", [jose]),
        fuzzTarget("fuzz-jws", [jose]),
        fuzzTarget("fuzz-jwk", [jose, crypto]),
        fuzzTarget("fuzz-metadata", [oauth, jose]),
        fuzzTarget("fuzz-token-response", [oauth, jose, httpTypes]),
        fuzzTarget("fuzz-www-authenticate", [oauth, httpTypes]),
        fuzzTarget("fuzz-request", [userAgents]),
        fuzzTarget("fuzz-import", [migration, tessera, oauth]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
