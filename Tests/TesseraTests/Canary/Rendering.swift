// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import InMemoryLogging

/// A value as logs, debuggers and failed expectations show it.
enum Rendering {
    /// How deep mirrors are followed; a dump goes to the end by itself.
    private static let depth = 6

    /// Each rendering once.
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
        // What was logged is searched by itself.
        if value is InMemoryLogHandler { return }
        texts.formUnion(["\(value)", String(describing: value), String(reflecting: value)])
        var mirror: Mirror? = Mirror(reflecting: value)
        if mirror?.displayStyle == .class {
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
        }
        guard depth > 0 else { return }
        while let present = mirror {
            for child in present.children {
                if let label = child.label { texts.insert(label) }
                self.walk(child.value, depth - 1, &texts, &seen)
            }
            mirror = present.superclassMirror
        }
    }
}
