// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// Leads a browser to an address that other users of the machine must not see.
///
/// Every user can read the command line of every process, and whoever knows the `state` of a sign-in can complete it with
/// another account. So the program that opens the browser gets the address of a page that leads on: a file that only this
/// user can read, or a page of a listener that only this user can request, and only once.
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

    /// Creates a launch that has made nothing yet.
    ///
    /// - Parameters:
    ///   - gate: Rejects other users.
    ///   - page: The page that a listener shows.
    ///   - listener: A listener that shows the page. Without one the launch starts its own, if the page is needed.
    init(gate: RedirectGate, page: OneTimePage = OneTimePage(), listener: LoopbackListener? = nil) {
        self.gate = gate
        self.page = page
        self.listener = listener
        self.directory = UserPlaces.current.launchDirectory
    }

    /// The address to open in place of `url`, for a program that opens a browser.
    ///
    /// - Throws: `SignInError` `noBrowser`, `noListener`.
    func address(of url: URL, for program: String, environment: [String: String]) async throws -> String {
        let target = url.absoluteString
        let directory = self.directory
        try? await BlockingExecutor.shared.run { LaunchFile.removeStale(in: directory) }
        let prefersFile =
            switch OpenerKind(program, environment: environment) {
            case .ordinary: true
            // Any browser can open a page of the listener, but only the gate keeps others from it.
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

    /// Whether a page waits for the browser.
    var isInUse: Bool { self.state.withLock { $0.file != nil || $0.listener != nil } }

    /// Removes what was made; a response on its way is finished.
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

/// A page in a file that only this user can read.
///
/// Every call blocks. The file is locked for as long as it is needed. One that is not locked was left by a process that died.
final class LaunchFile: Sendable {
    private static let suffix = ".html"

    private let file: OpenFile

    private init(_ file: consuming OpenFile) { self.file = file }

    var path: String { self.file.path }

    /// The file's address for a browser.
    var address: String { URL(filePath: self.path, directoryHint: .notDirectory).absoluteString }

    /// Creates a file with mode 0600 in a directory with mode 0700.
    ///
    /// - Throws: `SignInError` `noBrowser` where there is no such directory, or the file cannot be written.
    static func create(_ contents: String, in directory: String) throws -> LaunchFile {
        func failure(_ reason: String) -> SignInError {
            SignInError(.noBrowser, detail: "the page that leads to the provider could not be written: \(reason)")
        }
        guard !directory.isEmpty else { throw failure("no directory for it is known (set HOME)") }
        do {
            try FileSystem.makeDirectory(directory)
            guard FileSystem.isPrivateDirectory(directory) else {
                throw failure("\(directory) is open to other users (chmod 700 it)")
            }
            while true {
                let path = "\(directory)/\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.suffix)"
                let file = try FileSystem.openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                // Another process that cleans up may have been faster than the lock. File systems without locks have no
                // cleaning up either.
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

    /// Removes the file.
    func remove() { try? FileSystem.remove(self.path) }

    /// Removes the files of processes that died.
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

/// Whether the browser that a program opens can be expected to read this user's files.
enum OpenerKind: Sendable, Hashable {
    /// A compiled program of this machine: it can.
    case ordinary
    /// A script, or a program that leaves the choice to others: it is not known which browser it starts, and where.
    case unknown
    /// A browser in a sandbox (Snap, Flatpak), on the host of a container, or in Windows: it cannot.
    case confined

    /// The kind of a program, from its path and what it begins with.
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

    /// Openers of desktops, shells and interpreters.
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
