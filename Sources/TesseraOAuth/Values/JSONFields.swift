// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraJOSE
package import TesseraJSON

/// A reader that returns the members of a server's JSON object as specific types.
///
/// Errors contain the name of the member, but never a value that could be secret.
package struct JSONFields {
    package let object: JSONValue
    private let rule: ProtocolViolationError.Rule
    private let section: String
    private let subject: String

    /// Creates a reader for bytes that must be a JSON object.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - rule: The rule to report if the bytes are not valid.
    ///   - section: The section that defines the rule, or nil to use the rule's own section.
    ///   - subject: The name for the object in errors.
    /// - Throws: `ProtocolViolationError` with `rule` if the bytes are not a JSON object.
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

    /// Creates a reader for a value that must be an object.
    package init(
        _ value: JSONValue,
        rule: ProtocolViolationError.Rule,
        section: String,
        subject: String
    ) throws(ProtocolViolationError) {
        self.init(object: value, rule: rule, section: section, subject: subject)
        guard value.kind == .object else { throw self.violation("\(subject) to be a JSON object", "\(value.kind)") }
    }

    /// Creates a reader for a value that is known to be an object.
    init(object: JSONValue, rule: ProtocolViolationError.Rule, section: String? = nil, subject: String) {
        (self.object, self.rule, self.section, self.subject) = (object, rule, section ?? rule.section, subject)
    }

    /// Returns a reader for the value of a member, which must be an object.
    func child(_ name: String, _ value: JSONValue) throws(ProtocolViolationError) -> JSONFields {
        try JSONFields(value, rule: self.rule, section: self.section, subject: name)
    }

    /// The members in document order.
    var members: [(name: String, value: JSONValue)] { self.object.members.map { Array($0) } ?? [] }

    /// Returns a string, or nil if the member is absent or null.
    package func string(_ name: String) throws(ProtocolViolationError) -> String? {
        if let string = self.object.string(of: name) { return string }
        try self.requireStringIfPresent(name)
        return nil
    }

    /// Checks that a member is a string, absent or null, without copying the string.
    package func requireStringIfPresent(_ name: String) throws(ProtocolViolationError) {
        guard let kind = self.object.kind(of: name), kind != .string, let value = self.present(name) else { return }
        throw self.wrong(name, "a string", value)
    }

    /// Checks that each of several members is a string, absent or null.
    package func requireStringsIfPresent(_ names: [String]) throws(ProtocolViolationError) {
        guard let name = self.object.firstOtherThanString(of: names) else { return }
        try self.requireStringIfPresent(name)
    }

    /// Returns a string, which must be present and not empty.
    package func requiredString(_ name: String) throws(ProtocolViolationError) -> String {
        guard let string = try self.string(name) else { throw self.violation("\(name) in \(self.subject)", "none") }
        guard !string.isEmpty else { throw self.violation("\(name) not to be empty", "an empty string") }
        return string
    }

    /// Returns a string, which must not be empty if it is present.
    package func nonEmptyString(_ name: String) throws(ProtocolViolationError) -> String? {
        guard let string = try self.string(name) else { return nil }
        guard !string.isEmpty else { throw self.violation("\(name) not to be empty", "an empty string") }
        return string
    }

    /// Returns an array of strings.
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

    /// Returns a Boolean value.
    package func bool(_ name: String) throws(ProtocolViolationError) -> Bool? {
        guard let value = self.present(name) else { return nil }
        guard let bool = value.bool else { throw self.wrong(name, "a Boolean", value) }
        return bool
    }

    /// Returns a 64-bit integer.
    package func integer(_ name: String) throws(ProtocolViolationError) -> Int64? {
        guard let value = self.present(name) else { return nil }
        do { return try value.integer(Int64.self) } catch { throw self.wrongNumber(name, "a whole number", value) }
    }

    /// Returns a whole number of seconds between 0 and 100 years, from a number or from the string that some servers
    /// send.
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

    /// Returns a number.
    package func number(_ name: String) throws(ProtocolViolationError) -> Double? {
        guard let value = self.present(name) else { return nil }
        do { return try value.double() } catch { throw self.wrongNumber(name, "a number", value) }
    }

    /// Returns the value of a member, or nil if it is absent or null.
    package func present(_ name: String) -> JSONValue? {
        guard let value = self.object[name], !value.isNull else { return nil }
        return value
    }

    package func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> ProtocolViolationError {
        self.violation("\(name) to be \(expected)", "a value of kind \(value.kind)")
    }

    /// Returns an error that contains the value if it is a number, because only numbers cannot be secret.
    package func wrongNumber(_ name: String, _ expected: String, _ value: JSONValue) -> ProtocolViolationError {
        guard let number = value.numberText else { return self.wrong(name, expected, value) }
        return self.violation("\(name) to be \(expected)", number)
    }

    package func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        ProtocolViolationError(self.rule, expected: expected, actual: actual, section: self.section)
    }
}
