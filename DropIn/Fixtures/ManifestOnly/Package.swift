// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// An app written for the original libraries. Only this manifest has changed.
let package = Package(
    name: "NotesApp",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "tessera-drop-in", path: "../../")],
    targets: [
        .executableTarget(
            name: "NotesApp",
            dependencies: [
                .product(name: "GoogleSignIn", package: "tessera-drop-in"),
                .product(name: "GTMAppAuth", package: "tessera-drop-in"),
                .product(name: "AppAuth", package: "tessera-drop-in"),
                .product(name: "GTMSessionFetcherCore", package: "tessera-drop-in"),
            ]
        )
    ]
)
