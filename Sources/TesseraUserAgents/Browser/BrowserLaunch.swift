// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// Opens an address in a browser without revealing it to other users of the machine.
///
/// Any user can read the command line of any process, and knowing the `state` of a sign-in would let them complete it
/// with a different account. Therefore, the program that opens the browser gets the address of a page that leads to the
/// provider. The page is either in a file that only this user can read, or on a listener that serves it only to this
/// user, and only once.
final class BrowserLaunch: Sendable {
    private struct State {
        var file: LaunchFile?
        var listener: LoopbackListener?
    }

    private let gate: RedirectGate
    private let page: OneTimePage
    private let listener: LoopbackListener?
    private let directory: String
    private let state = Mutex(State())

    /// Creates a browser launch.
    ///
    /// - Parameters:
    ///   - gate: Rejects requests from other users.
    ///   - page: The page for the listener to serve.
    ///   - listener: A listener that serves the page, or nil to start one when it is needed.
    init(gate: RedirectGate, page: OneTimePage = OneTimePage(), listener: LoopbackListener? = nil) {
        self.gate = gate
        self.page = page
        self.listener = listener
        self.directory = UserFolders.current.launchDirectory
    }

    /// Returns the address to pass, in place of `url`, to a program that opens a browser.
    ///
    /// - Throws: `SignInError` with the code `noBrowser` or `noListener`.
    func address(of url: URL, for program: String, environment: [String: String]) async throws -> String {
        let target = url.absoluteString
        let directory = self.directory
        try? await BlockingExecutor.shared.run { LaunchFile.removeStale(in: directory) }
        let prefersFile =
            switch OpenerKind(program, environment: environment) {
            case .ordinary: true
            // Any browser can open the listener's page, but only the gate protects the page from other users.
            case .unknown: !self.gate.isClosed
            case .confined: false
            }
        if prefersFile {
            do {
                return try await self.fileAddress(target)
            } catch {
                guard self.gate.isClosed else { throw error }
            }
        }
        return try self.pageAddress(target)
    }

    /// Whether a page is waiting for the browser.
    var isInUse: Bool { self.state.withLock { $0.file != nil || $0.listener != nil } }

    /// Removes the page after completing any response that is being sent.
    func end() async {
        self.page.withdraw()
        let (file, listener) = self.state.withLock { state in
            defer { state = State() }
            return (state.file, state.listener)
        }
        if let file { try? await BlockingExecutor.shared.run { file.remove() } }
        listener?.stop()
        await listener?.stopped()
    }

    private func fileAddress(_ target: String) async throws -> String {
        if let file = self.state.withLock({ $0.file }) { return file.address }
        let directory = self.directory
        let file = try await BlockingExecutor.shared.run {
            try LaunchFile.create(LaunchPage(target: target).html, in: directory)
        }
        self.state.withLock { $0.file = file }
        return file.address
    }

    private func pageAddress(_ target: String) throws -> String {
        let listener =
            if let known = self.listener ?? self.state.withLock({ $0.listener }) {
                known
            } else {
                try LoopbackListener(gate: self.gate, page: self.page, receive: nil)
            }
        if self.listener == nil { self.state.withLock { $0.listener = listener } }
        return "http://\(listener.authority)\(self.page.offer(target))"
    }
}

/// A page stored in a file that only this user can read.
///
/// All of its methods block. The file is locked while it is in use, so an unlocked file was left by a process that has
/// ended.
final class LaunchFile: Sendable {
    private static let suffix = ".html"

    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    var path: String { self.file.path }

    /// The `file:` URL of the page.
    var address: String { URL(filePath: self.path, directoryHint: .notDirectory).absoluteString }

    /// Creates a file with mode 0600 in a directory with mode 0700.
    ///
    /// - Throws: `SignInError` with the code `noBrowser` if the directory cannot be used or the file cannot be written.
    static func create(_ contents: String, in directory: String) throws -> LaunchFile {
        func failure(_ reason: String) -> SignInError {
            SignInError(.noBrowser, detail: "the page that leads to the provider could not be written: \(reason)")
        }
        guard !directory.isEmpty else { throw failure("no directory is available for it (set HOME)") }
        do {
            try FileSystem.makeDirectory(directory)
            guard FileSystem.isPrivateDirectory(directory) else {
                throw failure("other users have access to \(directory) (run chmod 700 on it)")
            }
            while true {
                let path = "\(directory)/\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.suffix)"
                let file = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                // Another process may have removed the file as stale before it was locked. On file systems that do not
                // support locks, stale files are never removed.
                file.lock()
                guard try file.status().linkCount > 0 else { continue }
                do {
                    try file.setPrivateMode()
                    try file.write(Array(contents.utf8), at: 0)
                } catch {
                    try? FileSystem.remove(path)
                    throw error
                }
                return LaunchFile(file)
            }
        } catch let error as SystemError {
            throw failure("\(error)")
        }
    }

    func remove() { try? FileSystem.remove(self.path) }

    /// Removes files left by processes that have ended.
    static func removeStale(in directory: String) {
        guard FileSystem.isPrivateDirectory(directory) else { return }
        let names = (try? FileSystem.names(in: directory)) ?? []
        for name in names where name.hasSuffix(Self.suffix) {
            let path = "\(directory)/\(name)"
            guard let file = try? FileSystem.file(at: path), (try? file.tryLock()) == true else { continue }
            try? FileSystem.remove(path)
        }
    }
}

/// Whether the browser opened by a program can read this user's files.
enum OpenerKind: Sendable, Hashable {
    /// A compiled program on this machine, whose browser can read the files.
    case ordinary
    /// A script, or a program that delegates to another one, so the browser and its location are unknown.
    case unknown
    /// A browser in a sandbox (Snap, Flatpak), on a container's host or in Windows, which cannot read the files.
    case confined

    /// Determines the kind of opener from the program's path, the beginning of its file, and the environment.
    init(_ program: String, environment: [String: String]) {
        let resolved = FileSystem.resolved(program)
        let paths = [program, resolved]
        let names = paths.compactMap { $0.split(separator: "/").last.map { $0.lowercased() } }
        if paths.contains(where: Self.isConfined(path:)) || names.contains(where: Self.isConfined(name:))
            || ["WSL_DISTRO_NAME", "WSL_INTEROP"].contains(where: { environment[$0]?.isEmpty == false })
        {
            self = .confined
        } else if names.contains(where: Self.startsAnother(name:)) || Self.isScript(resolved) {
            self = .unknown
        } else {
            self = .ordinary
        }
    }

    private static func isConfined(path: String) -> Bool {
        path.hasPrefix("/snap/") || path.contains("/snapd/snap/") || path.contains("/flatpak/exports/")
    }

    private static func isConfined(name: String) -> Bool {
        ["snap", "flatpak", "flatpak-spawn", "host-spawn", "distrobox-host-exec", "wslview", "wsl-open"].contains(name)
            || name.hasSuffix(".exe")
    }

    /// Whether the name belongs to a desktop's opener, a shell or an interpreter.
    private static func startsAnother(name: String) -> Bool {
        [
            "xdg-open", "gio", "kde-open", "kde-open5", "exo-open", "gnome-open", "gvfs-open", "sensible-browser",
            "x-www-browser", "www-browser", "sh", "bash", "dash", "busybox", "zsh", "ksh", "fish", "env", "nohup",
            "setsid", "systemd-run", "sudo", "perl", "ruby", "node",
        ]
        .contains(name) || name.hasPrefix("python")
    }

    private static func isScript(_ path: String) -> Bool {
        guard let file = try? FileSystem.file(at: path) else { return true }
        return (try? file.bytes(at: 0, count: 2)) == Array("#!".utf8)
    }
}
