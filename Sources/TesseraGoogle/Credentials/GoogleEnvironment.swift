// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The environment variables and the home directory that the search for credentials reads.
///
/// Pass a custom environment in tests, or to search on behalf of another program.
public struct GoogleEnvironment: Sendable, Hashable {
    /// The environment variables.
    public var variables: [String: String]
    /// The home directory, or nil if it is unknown.
    public var homeDirectory: String?

    /// Creates an environment.
    public init(variables: [String: String], homeDirectory: String?) {
        self.variables = variables
        self.homeDirectory = homeDirectory
    }

    /// The environment of this process.
    public static var current: GoogleEnvironment {
        let variables = ProcessInfo.processInfo.environment
        return GoogleEnvironment(variables: variables, homeDirectory: UserFolders.current.home)
    }

    /// Returns the value of a variable, or nil if it is not set or empty.
    subscript(_ name: String) -> String? { self.variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the first value of several variables that is set and not empty.
    func first(of names: String...) -> String? { names.lazy.compactMap { self[$0] }.first }

    /// The directory of gcloud's configuration, or nil if the home directory is unknown.
    ///
    /// The directory is `$CLOUDSDK_CONFIG`, or `~/.config/gcloud`.
    var gcloudDirectory: String? {
        if let directory = self["CLOUDSDK_CONFIG"] { return directory }
        return self.homeDirectory.map { $0 + "/.config/gcloud" }
    }
}

extension GoogleEnvironment: CustomStringConvertible, CustomReflectable {
    /// A description without the variables, which may contain secrets.
    public var description: String { "environment with \(self.variables.count) variables" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
