// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
package import TesseraJSON

/// The members of a JSON object that a server sent, read by type; each error names the member, and never a value that
/// could be a secret.
package struct JSONFields {
    package let object: JSONValue
    private let rule: ProtocolViolationError.Rule
    private let section: String
    private let subject: String

    /// Reads bytes that have to be one JSON object.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - rule: The rule that any other text breaks.
    ///   - section: Where the rule is written, for a rule that is written in several places.
    ///   - subject: What errors call the object.
    /// - Throws: `ProtocolViolationError`.
    package init(
        parsing body: [UInt8],
        rule: ProtocolViolationError.Rule,
        section: String? = nil,
        subject: String
    ) throws(ProtocolViolationError) {
        let section = section ?? rule.section
        let value: JSONValue
        do {
            value = try JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 64, maximumBytes: 1 << 20))
        } catch {
            let actual = error.explanation(of: body)
            throw ProtocolViolationError(rule, expected: "\(subject) to be JSON", actual: actual, section: section)
        }
        try self.init(value, rule: rule, section: section, subject: subject)
    }

    /// Reads a value that has to be an object.
    package init(
        _ value: JSONValue,
        rule: ProtocolViolationError.Rule,
        section: String,
        subject: String
    ) throws(ProtocolViolationError) {
        self.init(object: value, rule: rule, section: section, subject: subject)
        guard value.kind == .object else { throw self.violation("\(subject) to be a JSON object", "\(value.kind)") }
    }

    /// Members of a value that is known to be an object.
    init(object: JSONValue, rule: ProtocolViolationError.Rule, section: String? = nil, subject: String) {
        (self.object, self.rule, self.section, self.subject) = (object, rule, section ?? rule.section, subject)
    }

    /// The members of a member that has to be an object.
    func child(_ name: String, _ value: JSONValue) throws(ProtocolViolationError) -> JSONFields {
        try JSONFields(value, rule: self.rule, section: self.section, subject: name)
    }

    /// Every member, in the order of the text.
    var members: [(name: String, value: JSONValue)] { self.object.members.map { Array($0) } ?? [] }

    /// A string, nil where the member is absent or null.
    package func string(_ name: String) throws(ProtocolViolationError) -> String? {
        if let string = self.object.string(of: name) { return string }
        try self.requireStringIfPresent(name)
        return nil
    }

    /// Checks what ``string(_:)`` would give, for whoever reads it later.
    package func requireStringIfPresent(_ name: String) throws(ProtocolViolationError) {
        guard let kind = self.object.kind(of: name), kind != .string, let value = self.present(name) else { return }
        throw self.wrong(name, "a string", value)
    }

    /// Checks the same of several members.
    package func requireStringsIfPresent(_ names: [String]) throws(ProtocolViolationError) {
        guard let name = self.object.firstOtherThanString(of: names) else { return }
        try self.requireStringIfPresent(name)
    }

    /// A string that has to be there and not be empty.
    package func requiredString(_ name: String) throws(ProtocolViolationError) -> String {
        guard let string = try self.string(name) else { throw self.violation("\(name) in \(self.subject)", "none") }
        guard !string.isEmpty else { throw self.violation("\(name) not to be empty", "an empty string") }
        return string
    }

    /// A string that is not empty where it is there.
    package func nonEmptyString(_ name: String) throws(ProtocolViolationError) -> String? {
        guard let string = try self.string(name) else { return nil }
        guard !string.isEmpty else { throw self.violation("\(name) not to be empty", "an empty string") }
        return string
    }

    /// An array of strings.
    package func strings(_ name: String) throws(ProtocolViolationError) -> [String]? {
        guard let value = self.present(name) else { return nil }
        guard let elements = value.elements else { throw self.wrong(name, "an array of strings", value) }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else { throw self.wrong(name, "an array of strings", element) }
            strings.append(string)
        }
        return strings
    }

    /// A boolean.
    package func bool(_ name: String) throws(ProtocolViolationError) -> Bool? {
        guard let value = self.present(name) else { return nil }
        guard let bool = value.bool else { throw self.wrong(name, "a boolean", value) }
        return bool
    }

    /// A whole number that fits 64 bits.
    package func integer(_ name: String) throws(ProtocolViolationError) -> Int64? {
        guard let value = self.present(name) else { return nil }
        do { return try value.integer(Int64.self) } catch { throw self.wrongNumber(name, "a whole number", value) }
    }

    /// A whole number of seconds from 0 to a hundred years; some servers send it as a string.
    package func seconds(_ name: String) throws(ProtocolViolationError) -> Int64? {
        guard let value = self.present(name) else { return nil }
        let seconds: Int64?
        if let string = value.string {
            seconds = string.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(string) : nil
        } else {
            seconds = try? value.integer(Int64.self)
        }
        guard let seconds, (0...3_155_760_000).contains(seconds) else {
            throw self.wrongNumber(name, "a whole number of seconds", value)
        }
        return seconds
    }

    /// A number, as seconds since 1970 have it.
    package func number(_ name: String) throws(ProtocolViolationError) -> Double? {
        guard let value = self.present(name) else { return nil }
        do { return try value.double() } catch { throw self.wrongNumber(name, "a number", value) }
    }

    /// The member, unless it is absent or null.
    package func present(_ name: String) -> JSONValue? {
        guard let value = self.object[name], !value.isNull else { return nil }
        return value
    }

    package func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> ProtocolViolationError {
        self.violation("\(name) to be \(expected)", "a value of kind \(value.kind)")
    }

    /// For a member that has to be a number, and so is no secret: the one value that an error may show.
    package func wrongNumber(_ name: String, _ expected: String, _ value: JSONValue) -> ProtocolViolationError {
        guard let number = value.numberText else { return self.wrong(name, expected, value) }
        return self.violation("\(name) to be \(expected)", number)
    }

    package func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        ProtocolViolationError(self.rule, expected: expected, actual: actual, section: self.section)
    }
}
