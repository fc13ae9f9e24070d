// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value for a parameter, the same for everybody who makes one by the same rules.
enum SampleValue {
    static func of(_ parameter: DiscoveryMethod.Parameter, _ type: SwiftType) -> String {
        let value = Self.single(parameter.schema)
        return parameter.isRepeated ? "[\(value), \(value)]" : value
    }

    private static func single(_ schema: DiscoverySchema) -> String {
        switch schema.kind {
        case .enumeration(let values): return ".init(rawValue: \(SwiftLiteral.quoted(values.first?.text ?? "")))"
        case .scalar("boolean", _): return "true"
        case .scalar("integer", _): return "7"
        case .scalar("number", _): return "1.5"
        case .scalar("string", let format):
            switch format {
            case "int64", "uint64": return "12_345_678_901"
            case "byte": return "Data([1, 2])"
            case "google-datetime", "date-time": return "Timestamp(\"2026-11-23T10:00:00Z\")"
            case "date": return "CivilDate(\"2026-11-23\")"
            case "google-duration": return "ProtoDuration(\"3s\")"
            default: return SwiftLiteral.quoted(Self.text(schema.pattern))
            }
        default: return ".init()"
        }
    }

    /// What fits a pattern such as `^people/[^/]+$`; anything where there is none.
    private static func text(_ pattern: String?) -> String {
        guard let pattern else { return "a b/\u{FC}+" }
        return pattern.replacing("[^/]+", with: "x1").replacing(".*", with: "y").filter { $0 != "^" && $0 != "$" }
    }
}
