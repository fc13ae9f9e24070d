// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
//
// Generates a client with the artifact bundle of a release, so that the generator is not built. dist-check adds the bundle
// and the plugin of this repository.
import PackageDescription

let package = Package(
    name: "Consumer",
    targets: [
        .target(name: "Consumer"),
        .binaryTarget(name: "google-api-generator", path: "google-api-generator.artifactbundle"),
        .plugin(
            name: "GenerateGoogleAPI",
            capability: .command(
                intent: .custom(verb: "generate-google-api", description: "Generate a client for a Google API"),
                permissions: [.writeToPackageDirectory(reason: "The client is written into the package.")]
            ),
            dependencies: ["google-api-generator"]
        ),
    ]
)
