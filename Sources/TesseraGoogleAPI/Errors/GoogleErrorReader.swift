// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TesseraOAuth

/// Parses the JSON in an error response, ignoring invalid members.
struct GoogleErrorReader {
    /// The secrets to remove from all messages.
    let secrets: ExchangeSecrets?

    /// Adds the information in a body to an error.
    func read(_ body: [UInt8], into error: inout GoogleAPIError) {
        guard var value = try? JSONValue(parsing: body, limits: JSONLimits(maximumDepth: 64, maximumBytes: 1 << 20))
        else {
            return
        }
        // A streaming method returns its error as the first element of an array.
        if let first = value.elements?.first { value = first }
        guard let object = value["error"] else { return }
        if let code = self.text(object) {
            error.status = code
            error.message = self.text(value["error_description"])
            return
        }
        error.status = self.text(object["status"])
        error.message = self.text(object["message"])
        error.reasons = (object["errors"]?.elements).map { $0.compactMap(self.reason) } ?? []
        error.details = (object["details"]?.elements).map { $0.compactMap(self.detail) } ?? []
        for case .retryInfo(let seconds) in error.details { error.retryAfter = max(error.retryAfter ?? 0, seconds) }
    }

    private func reason(_ value: JSONValue) -> GoogleAPIError.Reason? {
        guard let reason = self.text(value["reason"]) else { return nil }
        return GoogleAPIError.Reason(
            domain: self.text(value["domain"]),
            reason: reason,
            message: self.text(value["message"]),
            locationType: self.text(value["locationType"]),
            location: self.text(value["location"]),
            extendedHelp: self.text(value["extendedHelp"])
        )
    }

    private func detail(_ value: JSONValue) -> GoogleErrorDetail? {
        guard let type = self.text(value["@type"]) else { return nil }
        switch type.split(separator: "/").last {
        case "google.rpc.ErrorInfo":
            guard let reason = self.text(value["reason"]) else { return nil }
            var information = GoogleErrorDetail.ErrorInfo(reason: reason, domain: self.text(value["domain"]) ?? "")
            for member in value["metadata"]?.members.map(Array.init) ?? [] {
                let name = self.clean(member.name)
                if information.metadata[name] == nil { information.metadata[name] = self.text(member.value) }
            }
            return .errorInfo(information)
        case "google.rpc.RetryInfo":
            guard let delay = value["retryDelay"]?.string.flatMap({ ProtoDuration($0) }), delay.duration >= .zero else {
                return nil
            }
            return .retryInfo(seconds: Double(delay.seconds) + Double(delay.nanoseconds) / 1e9)
        case "google.rpc.QuotaFailure":
            return .quotaFailure(self.violations(value["violations"], "subject"))
        case "google.rpc.BadRequest":
            return .badRequest(self.violations(value["fieldViolations"], "field"))
        case "google.rpc.PreconditionFailure":
            return .preconditionFailure(self.violations(value["violations"], "type"))
        case "google.rpc.Help":
            let links = value["links"]?.elements.map(Array.init) ?? []
            return .help(
                links.compactMap { link in
                    self.text(link["url"]).map { .init(description: self.text(link["description"]) ?? "", url: $0) }
                }
            )
        case "google.rpc.LocalizedMessage":
            guard let message = self.text(value["message"]) else { return nil }
            return .localizedMessage(locale: self.text(value["locale"]) ?? "", message: message)
        case "google.rpc.ResourceInfo":
            return .resourceInfo(
                type: self.text(value["resourceType"]) ?? "",
                name: self.text(value["resourceName"]) ?? "",
                description: self.text(value["description"]) ?? ""
            )
        case "google.rpc.RequestInfo":
            return self.text(value["requestId"]).map { .requestInfo(id: $0) }
        default:
            return .other(type: type, json: self.clean(value.text))
        }
    }

    private func violations(_ value: JSONValue?, _ name: String) -> [GoogleErrorDetail.Violation] {
        guard let elements = value?.elements else { return [] }
        return elements.map { violation in
            GoogleErrorDetail.Violation(
                subject: self.text(violation[name]) ?? "",
                description: self.text(violation["description"]) ?? ""
            )
        }
    }

    private func text(_ value: JSONValue?) -> String? { value?.string.map(self.clean) }

    private func clean(_ text: String) -> String {
        String((self.secrets?.removed(from: text) ?? text).unicodeScalars.prefix(1_000))
    }
}
