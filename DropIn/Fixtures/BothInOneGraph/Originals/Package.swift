// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// A stand-in for a library and the original libraries that it depends on.
let package = Package(
    name: "originals",
    products: [.library(name: "OriginalClient", targets: ["OriginalClient"])],
    targets: [
        .target(name: "AppAuth"),
        .target(name: "GoogleSignIn", dependencies: ["AppAuth"]),
        .target(name: "OriginalClient", dependencies: ["GoogleSignIn", "AppAuth"]),
    ]
)
