// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import LoopbackHTTP
internal import TesseraSupport

/// Starts programs that outlive this process, such as the token agent.
///
/// Each program is started in its own session. It does not inherit file descriptors, and its standard streams are
/// connected to `/dev/null`.
public enum DetachedProgram {
    /// Returns the path of a program, searching for it the way a shell does.
    ///
    /// A name that contains a slash is a path. Other names are searched for in `PATH`.
    ///
    /// - Parameters:
    ///   - name: The name or path of the program.
    ///   - path: The value of `PATH`.
    /// - Returns: The path of an executable file, or nil if none was found.
    public static func find(_ name: String, path: String?) -> String? {
        let candidates =
            name.contains("/")
            ? [name] : (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        return candidates.first { candidate in
            var information = stat()
            return stat(candidate, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
                && access(candidate, X_OK) == 0
        }
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    ///   - environment: The program's environment.
    ///   - ended: Called on a dedicated thread with the exit status, or with 128 plus the signal number if a signal
    ///     ended the program.
    /// - Returns: Whether the program was started.
    public static func start(
        _ path: String,
        arguments: [String],
        environment: [String: String],
        ended: @escaping @Sendable (_ status: Int32) -> Void
    ) -> Bool {
        var process = pid_t()
        let failure = Self.withCStrings(arguments) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                tessera_spawn_detached(path, arguments, environment, &process)
            }
        }
        guard failure == 0 else { return false }
        _ = DetachedThread.start { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return }
            }
            let signal = status & 0x7F
            ended(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
        }
        return true
    }

    /// Runs a program and waits until it ends.
    ///
    /// The program inherits this process's environment, except for variables that contain secrets.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    /// - Returns: The exit status, or 127 if the program could not be started.
    public static func run(_ path: String, arguments: [String]) async -> Int32 {
        await withCheckedContinuation { continuation in
            let environment = OpenerEnvironment.withoutSecrets(ProcessInfo.processInfo.environment)
            let isStarted = Self.start(path, arguments: arguments, environment: environment) { status in
                continuation.resume(returning: status)
            }
            if !isStarted { continuation.resume(returning: 127) }
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        // Skip strings with NUL, which would truncate them. Environments and command lines cannot contain NUL.
        var pointers = strings.filter { !$0.utf8.contains(0) }.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}

/// The environment without secrets, which is passed to a program that opens a browser.
///
/// Secrets are recognized by the variable's name, or by a value that is a URL with a user name or password. A browser
/// retains its environment while it is running and passes it on to the programs it starts.
enum OpenerEnvironment {
    /// Returns the variables that do not contain secrets, with user names and passwords removed from proxy URLs.
    static func withoutSecrets(_ environment: [String: String]) -> [String: String] {
        var result: [String: String] = [:]
        for (name, value) in environment {
            let upper = name.uppercased()
            if upper.hasSuffix("PROXY") {
                result[name] = Self.withoutUserInformation(value)
            } else if !Self.holdsSecret(upper), !Self.hasUserInformation(value) {
                result[name] = value
            }
        }
        return result
    }

    /// Whether a variable with this uppercase name probably contains a secret.
    private static func holdsSecret(_ name: String) -> Bool {
        // This startup notification token is not a secret. It lets the browser's window come to the front and can be
        // used only once.
        if name == "XDG_ACTIVATION_TOKEN" { return false }
        let words = [
            "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "BEARER", "COOKIE", "JWT",
        ]
        let ends = ["_KEY", "_PASS", "_PWD", "_PAT", "_AUTH"]
        return name.hasPrefix("TESSERA_") || words.contains(where: name.contains)
            || ends.contains(where: name.hasSuffix)
    }

    /// Whether the value is a URL with a user name or password.
    private static func hasUserInformation(_ value: String) -> Bool {
        guard let scheme = Self.afterScheme(value) else { return false }
        return value[scheme...].prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != " " }.contains("@")
    }

    /// Returns a proxy's URL up to the port, without the user name and password.
    private static func withoutUserInformation(_ value: String) -> String {
        guard let last = value.lastIndex(of: "@") else { return value }
        let scheme = Self.afterScheme(value).map { String(value[..<$0]) } ?? ""
        // A password that is not percent-encoded may contain any character, so search for the last `@`.
        let rest = value[value.index(after: last)...]
        return scheme + String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// Returns the index after the first `://`.
    private static func afterScheme(_ value: String) -> String.Index? {
        var rest = value[...]
        while let colon = rest.firstIndex(of: ":") {
            if rest[colon...].hasPrefix("://") { return rest.index(colon, offsetBy: 3) }
            rest = rest[rest.index(after: colon)...]
        }
        return nil
    }
}
