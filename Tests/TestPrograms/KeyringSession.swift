// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A D-Bus session bus with its own home directory, which starts gnome-keyring on the first call.
public final class KeyringSession: Sendable {
    /// The Secret Service on the bus.
    public enum Keyring: String, Sendable {
        /// gnome-keyring, unlocked.
        case unlocked = "exec gnome-keyring-daemon --foreground --components=secrets --unlock < password"
        /// gnome-keyring, locked.
        case locked = "exec gnome-keyring-daemon --foreground --components=secrets"
        /// A program that never responds.
        case silent = "exec sleep 3600"
        /// A program that ends at once.
        case broken = "exit 1"
    }

    /// The home directory, which is removed when the session ends.
    public let home: String
    /// The environment of programs in this session, which has no display.
    public let environment: [String: String]
    /// The part of ``environment`` with which a program with another home directory connects to the bus.
    public var bus: [String: String] {
        self.environment.filter { ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"].contains($0.key) }
    }
    private let daemon: ChildProgram

    /// Why no keyring can be started on this machine, or nil if it can.
    public static let obstacle = ChildProgram.missing(["dbus-daemon", "gnome-keyring-daemon", "secret-tool"])

    /// Whether a keyring can be started on this machine.
    public static var isPossible: Bool { Self.obstacle == nil }

    private init(_ keyring: Keyring?) async throws {
        // The path of a socket can have at most 107 bytes.
        let home = "/tmp/tessera-keyring-" + UUID().uuidString.prefix(18)
        for directory in [home, home + "/run", home + "/data", home + "/config", home + "/services"] {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        self.home = home
        try Self.write("a test password", to: home + "/password")
        try Self.write(Self.configuration(home), to: home + "/bus.conf")
        var environment = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        environment["HOME"] = home
        environment["XDG_RUNTIME_DIR"] = home + "/run"
        environment["XDG_DATA_HOME"] = home + "/data"
        environment["XDG_CONFIG_HOME"] = home + "/config"
        if let keyring { try Self.install(keyring, home) }
        self.daemon = try ChildProgram(
            ["dbus-daemon", "--nofork", "--nopidfile", "--print-address=1", "--config-file=\(home)/bus.conf"],
            environment: environment
        )
        let address = await self.daemon.output.line { $0.hasPrefix("unix:") }
        environment["DBUS_SESSION_BUS_ADDRESS"] = address ?? ""
        self.environment = environment
    }

    /// Runs `body` with a new session and always ends the session with all its processes.
    public static func play(_ keyring: Keyring? = .unlocked, _ body: (KeyringSession) async throws -> Void)
        async throws
    {
        let session = try await KeyringSession(keyring)
        do { try await body(session) } catch {
            await session.end()
            throw error
        }
        await session.end()
    }

    /// Replaces the keyring, or removes it if `keyring` is nil, and kills the running one.
    public func replace(_ keyring: Keyring?) throws {
        if let keyring {
            try Self.install(keyring, self.home)
        } else {
            try Self.write("exit 1", to: self.home + "/keyring")
        }
        self.killKeyring()
    }

    /// Kills the keyring, which the next call starts again.
    public func killKeyring() { self.signalKeyring(SIGKILL) }

    /// Sends a signal to the keyring.
    public func signalKeyring(_ number: Int32) {
        guard let text = try? String(contentsOfFile: self.home + "/pid", encoding: .utf8),
            let processID = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            // It may have ended, so that another process has this ID now.
            let command = FileManager.default.contents(atPath: "/proc/\(processID)/environ"),
            command.range(of: Data(self.home.utf8)) != nil
        else { return }
        kill(processID, number)
    }

    /// Ends the bus and waits for its process to exit.
    public func endBus() async {
        await self.daemon.kill()
    }

    /// Runs a program in this session until it exits and returns its standard output.
    public func run(_ words: [String], input: String = "") async throws -> String {
        let (output, _) = try await ChildProgram.run(words, environment: self.environment, input: input)
        return String(decoding: output, as: UTF8.self)
    }

    /// Builds a libsecret that reports success for each save but removes the new item at once.
    ///
    /// - Returns: The directory for `LD_LIBRARY_PATH`.
    public func makeForgetfulLibrary() async throws -> String {
        let directory = self.home + "/forgetful"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Self.write(Self.forgetfulSource, to: directory + "/forgetful.c")
        let script = """
            cd '\(directory)' && real=$(ldconfig -p | sed -n 's/.*libsecret-1\\.so\\.0 .*=> //p' | head -n 1) && \
            sed 's/libsecret-1\\.so\\.0/libsecret-R.so.0/g' "$real" > libsecret-R.so.0 && \
            cc -shared -fPIC -o libsecret-1.so.0 forgetful.c -Wl,--no-as-needed ./libsecret-R.so.0 '-Wl,-rpath,$ORIGIN' -ldl
            """
        let (_, status) = try await ChildProgram.run(["sh", "-c", script])
        guard status == 0 else { throw ChildProgramError(program: "cc", number: status) }
        return directory
    }

    private static let forgetfulSource = """
        #include <dlfcn.h>
        typedef void *create(void *, const void *, void *, const char *, void *, int, void *, void *);
        typedef int delete(void *, void *, void *);
        void *secret_item_create_sync(void *collection, const void *schema, void *attributes, const char *label,
                                      void *value, int flags, void *cancellable, void *error) {
            void *real = dlopen("libsecret-R.so.0", RTLD_NOW);
            create *make = (create *)dlsym(real, "secret_item_create_sync");
            delete *drop = (delete *)dlsym(real, "secret_item_delete_sync");
            void *item = make(collection, schema, attributes, label, value, flags, cancellable, error);
            if (item) drop(item, cancellable, 0);
            return item;
        }
        """ + "\n"

    private func end() async {
        self.killKeyring()
        await self.endBus()
        try? FileManager.default.removeItem(atPath: self.home)
    }

    private static func install(_ keyring: Keyring, _ home: String) throws {
        try Self.write("cd '\(home)'\necho $$ > pid\n\(keyring.rawValue)\n", to: home + "/keyring")
        try Self.write(
            "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sh \(home)/keyring\n",
            to: home + "/services/org.freedesktop.secrets.service"
        )
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    private static func configuration(_ home: String) -> String {
        """
        <busconfig>
          <type>session</type>
          <listen>unix:dir=\(home)</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(home)/services</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}
