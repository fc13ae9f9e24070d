// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The environment variables that a transport heeds.
struct ProcessVariables: Sendable {
    private let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    /// Those of this process.
    static var process: Self { Self(ProcessInfo.processInfo.environment) }

    /// The first of these variables that is set to something.
    func first(of names: String...) -> String? {
        names.lazy.compactMap { self.values[$0] }.first { !$0.isEmpty }
    }

    /// The file with more trust roots; as OpenSSL does, a file that is not there is passed over.
    var certificateFile: String? {
        self.first(of: "SSL_CERT_FILE").flatMap { FileManager.default.isReadableFile(atPath: $0) ? $0 : nil }
    }
}
#endif
