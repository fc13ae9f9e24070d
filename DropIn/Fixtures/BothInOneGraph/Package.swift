// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// An app that uses Tessera while another dependency uses the original libraries, for which a local package stands in.
let package = Package(
    name: "BothApp",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [
        .package(name: "tessera", path: "../../../"),
        .package(name: "originals", path: "Originals"),
    ],
    targets: [
        .executableTarget(
            name: "BothApp",
            dependencies: [
                .product(name: "TesseraGoogleSignIn", package: "tessera"),
                .product(name: "OriginalClient", package: "originals"),
            ]
        )
    ]
)
