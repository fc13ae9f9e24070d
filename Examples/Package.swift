// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

/// Programs that use Tessera as yours would: take a folder, change the dependency below, and go on from there.
let package = Package(
    name: "tessera-examples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [.package(name: "tessera", path: "../")],
    targets: [
        .executableTarget(
            name: "drive-list",
            dependencies: [
                .product(name: "Tessera", package: "tessera"),
                .product(name: "TesseraDefaults", package: "tessera"),
                .product(name: "TesseraFetch", package: "tessera"),
                .product(name: "TesseraGoogle", package: "tessera"),
            ],
            path: "CommandLine"
        ),
        .executableTarget(
            name: "four-steps",
            dependencies: [
                .product(name: "TesseraGoogleSignIn", package: "tessera"),
                .product(name: "TesseraGTMAppAuth", package: "tessera"),
            ],
            path: "FourSteps"
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
            path: "LinuxDesktop"
        ),
    ],
    swiftLanguageModes: [.v6]
)
