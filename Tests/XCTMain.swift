// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

/// The entry point of a test bundle, except on Apple platforms.
///
/// SwiftPM would generate it from an index of all modules, which takes a sixth of the time of a build.
@main
struct TestBundle {
    static func main() async {
        let arguments = CommandLine.arguments
        let library = arguments.firstIndex(of: "--testing-library").map { arguments[($0 + 1)...].first }
        // SwiftPM also starts the bundle for XCTest, which no test uses.
        if library == "xctest" { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
