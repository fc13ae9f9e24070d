// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// Modules with the names of Google's and OpenID's libraries, which only re-export Tessera's. They are a separate
// package, because SwiftPM permits each target name only once in a package graph. A release publishes this folder as a
// repository with the path replaced by Tessera's URL and version.
let package = Package(
    name: "tessera-drop-in",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "GoogleSignIn", targets: ["GoogleSignIn"]),
        .library(name: "GoogleSignInSwift", targets: ["GoogleSignInSwift"]),
        .library(name: "GTMAppAuth", targets: ["GTMAppAuth"]),
        .library(name: "AppAuth", targets: ["AppAuth", "AppAuthCore"]),
        .library(name: "AppAuthCore", targets: ["AppAuthCore"]),
        .library(name: "GTMSessionFetcher", targets: ["GTMSessionFetcher", "GTMSessionFetcherCore"]),
        .library(name: "GTMSessionFetcherCore", targets: ["GTMSessionFetcherCore"]),
    ],
    dependencies: [.package(name: "tessera", path: "../")],
    targets: [
        .target(
            name: "GoogleSignIn",
            dependencies: [.product(name: "TesseraGoogleSignIn", package: "tessera")]
        ),
        .target(
            name: "GoogleSignInSwift",
            dependencies: [.product(name: "TesseraSignInButton", package: "tessera")]
        ),
        .target(name: "GTMAppAuth", dependencies: [.product(name: "TesseraGTMAppAuth", package: "tessera")]),
        .target(name: "AppAuth", dependencies: [.product(name: "TesseraGTMAppAuth", package: "tessera")]),
        .target(name: "AppAuthCore", dependencies: [.product(name: "TesseraGTMAppAuth", package: "tessera")]),
        .target(name: "GTMSessionFetcher", dependencies: [.product(name: "TesseraGTMAppAuth", package: "tessera")]),
        .target(
            name: "GTMSessionFetcherCore",
            dependencies: [.product(name: "TesseraGTMAppAuth", package: "tessera")]
        ),
    ]
)
