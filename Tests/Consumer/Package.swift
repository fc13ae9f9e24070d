// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// A package that depends on Tessera by URL, like an app. Scripts/check-consumer builds a program for each product, which is
// named after the product and uses one of its symbols. The app in Tests/AppleApp links the library AppProducts.
let environment = Context.environment
let url = environment["TESSERA_CONSUMER_URL"] ?? "../tessera"
let version = Version(environment["TESSERA_CONSUMER_VERSION"] ?? "") ?? "0.0.1"
// `default` is a dependency that does not specify traits.
let isDefault = environment["TESSERA_CONSUMER_TRAITS"] == "default"
let traits =
    isDefault
    ? [] : environment["TESSERA_CONSUMER_TRAITS"]?.split(separator: ",").map(String.init) ?? []
let app = [
    "Tessera", "TesseraDefaults", "TesseraFetch", "TesseraGoogle", "TesseraGoogleAPI", "TesseraGoogleSignIn",
    "TesseraGTMAppAuth", "TesseraJOSE", "TesseraMigration", "TesseraOAuth", "TesseraStores", "TesseraURLSession",
    "TesseraUserAgents", "GoogleDriveV3", "TesseraSignInButton",
]
let others = [
    "TesseraAPIGenerator", "TesseraAgent", "TesseraAsyncHTTPClient", "TesseraCurl", "TesseraGRPC",
    "TesseraLocalProvider",
    "TesseraPostgreSQL", "TesseraSecretService", "TesseraSQLite", "TesseraTesting",
]

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "AppProducts", targets: ["AppProducts"]),
        .library(name: "AppTestSupport", targets: ["AppTestSupport"]),
    ],
    dependencies: [
        isDefault
            ? .package(url: url, exact: version)
            : .package(url: url, exact: version, traits: Set(traits.map { .trait(name: $0) }))
    ],
    targets: [
        .target(
            name: "AppProducts",
            dependencies: app.map { .product(name: $0, package: "tessera") },
            path: "AppProducts"
        ),
        .target(
            name: "AppTestSupport",
            dependencies: [.product(name: "TesseraTesting", package: "tessera")],
            path: "AppTestSupport"
        ),
    ]
        + (app + others)
        .map { product in
            .executableTarget(
                name: "Use\(product)",
                dependencies: [.product(name: product, package: "tessera")],
                path: product,
                swiftSettings: traits.map { .define($0) }
            )
        },
    swiftLanguageModes: [.v6]
)
