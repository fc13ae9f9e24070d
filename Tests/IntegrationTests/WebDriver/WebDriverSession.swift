// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// One browser window, used as a person uses it: look, click, type.
///
/// Every command waits for its element (the driver's implicit wait) and tries again while the page is on its way; nobody
/// who calls one needs to wait.
struct WebDriverSession: Sendable {
    /// How long a page may take to show what is looked for.
    static let patience: Duration = .seconds(20)

    let connection: WebDriverConnection
    let id: String
    /// The browser's own process, for the case that it does not listen any more.
    let browserProcessID: Int32?

    /// Starts a headless Chromium that keeps everything in the folder `profile`.
    static func start(at connection: WebDriverConnection, profile: String) async throws -> WebDriverSession {
        let started = try await connection.post(
            "/session",
            NewSession(arguments: [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--lang=en",
                "--disable-background-networking", "--disable-component-update", "--window-size=1000,1000",
                "--user-data-dir=\(profile)",
            ]),
            as: StartedSession.self
        )
        return WebDriverSession(
            connection: connection,
            id: started.sessionId,
            browserProcessID: started.capabilities.processID
        )
    }

    /// Goes to an address, as typed into the address bar.
    func open(_ url: String) async throws {
        try await self.connection.post("/session/\(self.id)/url", ["url": url])
    }

    /// What the address bar shows.
    var url: String {
        get async throws { try await self.connection.get("/session/\(self.id)/url") }
    }

    /// The page's title.
    var title: String {
        get async throws { try await self.connection.get("/session/\(self.id)/title") }
    }

    /// The page's text, as a person reads it.
    var text: String {
        get async throws { try await self.text(of: "body") }
    }

    /// The text of the first element that `selector` finds.
    func text(of selector: String) async throws -> String {
        try await self.patiently { try await self.get(self.find(selector), "text") }
    }

    /// Whether a box is ticked.
    func isTicked(_ selector: String) async throws -> Bool {
        try await self.patiently { try await self.get(self.find(selector), "selected") }
    }

    /// Whether there is such an element now; does not wait for it.
    func shows(_ selector: String) async throws -> Bool {
        try await self.evaluate("document.querySelector(arguments[0]) !== null", [selector])
    }

    /// An attribute of every element that `selector` finds now.
    func attributes(_ name: String, of selector: String) async throws -> [String] {
        try await self.evaluate(
            "Array.from(document.querySelectorAll(arguments[0])).map(e => e.getAttribute(arguments[1]) || '')",
            [selector, name]
        )
    }

    /// Clicks on the first element that `selector` finds.
    func click(_ selector: String) async throws {
        try await self.patiently { try await self.post(self.find(selector), "click") }
    }

    /// Ticks a box, or takes its tick away; does nothing where it is as wanted.
    func set(_ selector: String, ticked: Bool) async throws {
        if try await self.isTicked(selector) != ticked { try await self.click(selector) }
    }

    /// Replaces what stands in a field.
    func type(_ text: String, into selector: String) async throws {
        try await self.patiently {
            let element = try await self.find(selector)
            try await self.post(element, "clear")
            try await self.connection.post("\(self.path(element))/value", ["text": text])
        }
    }

    /// Waits until a JavaScript expression is true in the page that the browser shows then.
    ///
    /// The pause between two looks is the page's: the script's answer comes a moment later.
    func wait(until condition: String, _ arguments: [String] = []) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            do {
                if try await self.evaluate("new Promise(r => setTimeout(() => r(!!(\(condition))), 40))", arguments) {
                    return
                }
            } catch let error as WebDriverError where error.isPassing {}
        }
        throw WebDriverError("it did not become true in time: \(condition) at \(try await self.url)")
    }

    /// Waits until the address begins with `prefix`.
    func wait(untilAddressBegins prefix: String) async throws {
        try await self.wait(until: "location.href.startsWith(arguments[0])", [prefix])
    }

    /// Writes what the browser shows to a PNG file.
    func screenshot(to file: String) async throws {
        let encoded: String = try await self.connection.get("/session/\(self.id)/screenshot")
        try Data(base64Encoded: encoded)?.write(to: URL(fileURLWithPath: file))
    }

    /// Closes the browser; ends its process where it does not answer any more.
    func quit() async {
        do {
            try await self.connection.delete("/session/\(self.id)")
        } catch {
            if let browserProcessID { kill(browserProcessID, SIGKILL) }
        }
    }

    private func evaluate<Value: Decodable>(_ expression: String, _ arguments: [String]) async throws -> Value {
        try await self.connection.post(
            "/session/\(self.id)/execute/sync",
            Script(script: "return \(expression)", args: arguments)
        )
    }

    private func find(_ selector: String) async throws -> String {
        let found: [String: String] = try await self.connection.post(
            "/session/\(self.id)/element",
            ["using": "css selector", "value": selector]
        )
        guard let element = found.values.first else { throw WebDriverError(selector, code: "no such element") }
        return element
    }

    private func path(_ element: String) -> String { "/session/\(self.id)/element/\(element)" }

    private func get<Value: Decodable>(_ element: String, _ property: String) async throws -> Value {
        try await self.connection.get("\(self.path(element))/\(property)")
    }

    private func post(_ element: String, _ command: String) async throws {
        try await self.connection.post("\(self.path(element))/\(command)", [String: String]())
    }

    /// Does it again while the page is on its way to another state.
    private func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await body()
            } catch let error as WebDriverError where error.isPassing && ContinuousClock.now < deadline {
                try await self.wait(until: "true")
            }
        }
    }

    private struct Script: Encodable {
        var script: String
        var args: [String]
    }
}

/// The request for a session: which browser, with which flags, and how long commands wait.
private struct NewSession: Encodable {
    var capabilities: Capabilities

    init(arguments: [String]) {
        self.capabilities = Capabilities(alwaysMatch: Match(options: Options(args: arguments)))
    }

    struct Capabilities: Encodable {
        var alwaysMatch: Match
    }
    struct Match: Encodable {
        var browserName = "chrome"
        var timeouts = ["implicit": 5000, "pageLoad": 60_000, "script": 10_000]
        var options: Options

        enum CodingKeys: String, CodingKey {
            case browserName, timeouts
            case options = "goog:chromeOptions"
        }
    }
    struct Options: Encodable {
        var args: [String]
    }
}

private struct StartedSession: Decodable {
    var sessionId: String
    var capabilities: Capabilities

    struct Capabilities: Decodable {
        var processID: Int32?

        enum CodingKeys: String, CodingKey {
            case processID = "goog:processID"
        }
    }
}
