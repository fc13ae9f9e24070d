// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import LoopbackHTTP
internal import TesseraSupport

/// Starts programs that outlive this one, such as a token agent in the background.
///
/// Such a program has its own session. It inherits no descriptor, and its standard streams are empty.
public enum DetachedProgram {
    /// Returns where a program is, as a shell finds it: a name with a slash is a path, any other is looked for in `PATH`.
    ///
    /// - Parameters:
    ///   - name: The name or the path of the program.
    ///   - path: The value of `PATH`.
    /// - Returns: The path of an executable file, or nil if there is none.
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
    ///   - arguments: Its arguments. The first one is its name.
    ///   - environment: Its environment.
    ///   - ended: Gets the exit status when the program has ended, on a thread that only waits for it: 128 plus the number
    ///     of the signal if a signal ended it.
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

    /// Runs a program to its end, with the environment of this process, except for variables that hold secrets.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: Its arguments. The first one is its name.
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
        // A NUL would cut a word in two; no environment and no command line can hold one.
        var pointers = strings.filter { !$0.utf8.contains(0) }.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}

/// What a program that opens a browser inherits: everything that a desktop program may need, and no secret.
///
/// Names decide, and where they do not, a value that is a URL with a password in it. A browser keeps its environment for as
/// long as it runs, and gives it to every program that it starts.
enum OpenerEnvironment {
    /// The variables without those that hold secrets, and the addresses of proxies without user names and passwords.
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

    /// Whether the name, in upper case, says that the value is a secret, or may be one.
    private static func holdsSecret(_ name: String) -> Bool {
        // Startup notification: lets the browser's window come to the front, and is used up then.
        if name == "XDG_ACTIVATION_TOKEN" { return false }
        let words = [
            "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "BEARER", "COOKIE", "JWT",
        ]
        let ends = ["_KEY", "_PASS", "_PWD", "_PAT", "_AUTH"]
        return name.hasPrefix("TESSERA_") || words.contains(where: name.contains)
            || ends.contains(where: name.hasSuffix)
    }

    /// Whether a URL in the value has a user name or a password.
    private static func hasUserInformation(_ value: String) -> Bool {
        guard let scheme = Self.afterScheme(value) else { return false }
        return value[scheme...].prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != " " }.contains("@")
    }

    /// A proxy's address up to its port, its user name and password left out.
    private static func withoutUserInformation(_ value: String) -> String {
        guard let last = value.lastIndex(of: "@") else { return value }
        let scheme = Self.afterScheme(value).map { String(value[..<$0]) } ?? ""
        // A password may have any character in it where it is not encoded.
        let rest = value[value.index(after: last)...]
        return scheme + String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// The place after the first `://`.
    private static func afterScheme(_ value: String) -> String.Index? {
        var rest = value[...]
        while let colon = rest.firstIndex(of: ":") {
            if rest[colon...].hasPrefix("://") { return rest.index(colon, offsetBy: 3) }
            rest = rest[rest.index(after: colon)...]
        }
        return nil
    }
}
