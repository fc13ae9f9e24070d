// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import InMemoryLogging

/// The textual representations of a value in logs, debuggers and failed expectations.
enum Rendering {
    /// The maximum depth of mirrors.
    ///
    /// A dump has no limit.
    private static let depth = 6

    /// Returns every distinct representation.
    static func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var texts: Set<String> = [dumped, "\([value])", "\(Optional.some(value) as Any)"]
        var seen: Set<ObjectIdentifier> = []
        self.walk(value, Self.depth, &texts, &seen)
        return Array(texts)
    }

    private static func walk(
        _ value: Any,
        _ depth: Int,
        _ texts: inout Set<String>,
        _ seen: inout Set<ObjectIdentifier>
    ) {
        // The log is searched separately.
        if value is InMemoryLogHandler { return }
        texts.formUnion(["\(value)", String(describing: value), String(reflecting: value)])
        var mirror: Mirror? = Mirror(reflecting: value)
        if mirror?.displayStyle == .class {
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
        }
        guard depth > 0 else { return }
        while let current = mirror {
            for child in current.children {
                if let label = child.label { texts.insert(label) }
                self.walk(child.value, depth - 1, &texts, &seen)
            }
            mirror = current.superclassMirror
        }
    }
}
