// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A browser window, with the actions of a user.
///
/// Every command waits for its element (the driver's implicit wait) and is retried while the page changes, so callers
/// do not need to wait.
struct WebDriverSession: Sendable {
    /// The time limit for a page to show an element or to meet a condition.
    static let timeout: Duration = .seconds(20)

    let connection: WebDriverConnection
    let id: String
    /// The process ID of the browser, which is killed if it no longer responds.
    let browserProcessID: Int32?

    /// Starts a headless Chromium that stores its data in the folder `profile`.
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

    /// Opens a URL, as if typed into the address bar.
    func open(_ url: String) async throws {
        try await self.connection.post("/session/\(self.id)/url", ["url": url])
    }

    /// The URL in the address bar.
    var url: String {
        get async throws { try await self.connection.get("/session/\(self.id)/url") }
    }

    /// The title of the page.
    var title: String {
        get async throws { try await self.connection.get("/session/\(self.id)/title") }
    }

    /// The visible text of the page.
    var text: String {
        get async throws { try await self.text(of: "body") }
    }

    /// Returns the text of the first element that matches `selector`.
    func text(of selector: String) async throws -> String {
        try await self.retrying { try await self.get(self.find(selector), "text") }
    }

    /// Returns whether a checkbox is selected.
    func isSelected(_ selector: String) async throws -> Bool {
        try await self.retrying { try await self.get(self.find(selector), "selected") }
    }

    /// Returns whether a matching element exists now, without waiting for it.
    func shows(_ selector: String) async throws -> Bool {
        try await self.evaluate("document.querySelector(arguments[0]) !== null", [selector])
    }

    /// Returns an attribute of every element that matches `selector` now.
    func attributes(_ name: String, of selector: String) async throws -> [String] {
        try await self.evaluate(
            "Array.from(document.querySelectorAll(arguments[0])).map(e => e.getAttribute(arguments[1]) || '')",
            [selector, name]
        )
    }

    /// Clicks the first element that matches `selector`.
    func click(_ selector: String) async throws {
        try await self.retrying { try await self.post(self.find(selector), "click") }
    }

    /// Selects or deselects a checkbox, if necessary.
    func set(_ selector: String, isSelected: Bool) async throws {
        if try await self.isSelected(selector) != isSelected { try await self.click(selector) }
    }

    /// Replaces the text in a field.
    func type(_ text: String, into selector: String) async throws {
        try await self.retrying {
            let element = try await self.find(selector)
            try await self.post(element, "clear")
            try await self.connection.post("\(self.path(element))/value", ["text": text])
        }
    }

    /// Waits until a JavaScript expression is true in the current page.
    ///
    /// The script itself pauses before each check.
    func wait(until condition: String, _ arguments: [String] = []) async throws {
        let deadline = ContinuousClock.now + Self.timeout
        while ContinuousClock.now < deadline {
            do {
                if try await self.evaluate("new Promise(r => setTimeout(() => r(!!(\(condition))), 40))", arguments) {
                    return
                }
            } catch let error as WebDriverError where error.isTransient {}
        }
        throw WebDriverError("timed out waiting for \(condition) at \(try await self.url)")
    }

    /// Waits until the URL begins with `prefix`.
    func wait(untilURLBegins prefix: String) async throws {
        try await self.wait(until: "location.href.startsWith(arguments[0])", [prefix])
    }

    /// Writes a screenshot to a PNG file.
    func screenshot(to file: String) async throws {
        let encoded: String = try await self.connection.get("/session/\(self.id)/screenshot")
        try Data(base64Encoded: encoded)?.write(to: URL(fileURLWithPath: file))
    }

    /// Closes the browser and kills its process if it no longer responds.
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

    /// Runs `body` and retries it while the page changes.
    private func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        let deadline = ContinuousClock.now + Self.timeout
        while true {
            do {
                return try await body()
            } catch let error as WebDriverError where error.isTransient && ContinuousClock.now < deadline {
                try await self.wait(until: "true")
            }
        }
    }

    private struct Script: Encodable {
        var script: String
        var args: [String]
    }
}

/// The request for a session, with the browser, its flags and the timeouts of commands.
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
