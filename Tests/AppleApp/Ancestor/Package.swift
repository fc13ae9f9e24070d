// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import PackageDescription

// Google's own libraries, for the test that reads their keychain items. They are in a separate package so that users of
// Tessera do not download them.
let package = Package(
    name: "ancestor",
    platforms: [.iOS(.v16)],
    products: [.library(name: "Ancestor", targets: ["Ancestor"])],
    dependencies: [
        .package(url: "https://github.com/google/GoogleSignIn-iOS.git", from: "9.0.0"),
        .package(url: "https://github.com/google/GTMAppAuth.git", from: "5.0.0"),
        .package(url: "https://github.com/openid/AppAuth-iOS.git", from: "2.0.0"),
    ],
    targets: [
        .target(
            name: "Ancestor",
            dependencies: [
                .product(name: "GoogleSignIn", package: "GoogleSignIn-iOS", condition: .when(platforms: [.iOS])),
                .product(name: "GTMAppAuth", package: "GTMAppAuth", condition: .when(platforms: [.iOS])),
                .product(name: "AppAuthCore", package: "AppAuth-iOS", condition: .when(platforms: [.iOS])),
            ]
        )
    ]
)
