// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// Entries that end at a time of their own; bounded, the oldest give way.
struct ExpiringTable<Entry: Sendable>: Sendable {
    private var entries: [String: (entry: Entry, deadline: Int64, number: Int)] = [:]
    private var order: ArraySlice<(number: Int, key: String)> = []
    private var nextNumber = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The entry, unless its time is over.
    func entry(_ key: String, at now: Int64) -> Entry? {
        self.entries[key].flatMap { $0.deadline > now ? $0.entry : nil }
    }

    /// Adds or replaces an entry.
    mutating func set(_ key: String, _ entry: Entry, until deadline: Int64, at now: Int64) {
        self.entries[key] = (entry, deadline, self.nextNumber)
        self.order.append((self.nextNumber, key))
        self.nextNumber += 1
        while let first = self.order.first {
            let held = self.entries[first.key]
            let isCurrent = held?.number == first.number
            guard !isCurrent || self.entries.count > self.limit || (held?.deadline ?? 0) <= now else { break }
            if isCurrent { self.entries[first.key] = nil }
            self.order.removeFirst()
        }
    }

    /// Takes an entry out.
    @discardableResult
    mutating func remove(_ key: String, at now: Int64) -> Entry? {
        let entry = self.entry(key, at: now)
        self.entries[key] = nil
        return entry
    }

    mutating func removeAll(where isUnwanted: (Entry) -> Bool = { _ in true }) {
        self.entries = self.entries.filter { !isUnwanted($0.value.entry) }
    }

    /// Ends every entry now.
    mutating func expireAll() {
        for key in self.entries.keys { self.entries[key]?.deadline = .min }
    }
}
#endif
