// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Gives out names of one place, each once.
struct UniqueNames {
    private var taken: Set<String>

    init(_ taken: Set<String> = []) { self.taken = taken }

    /// The name, or one with the original's own spelling at its end, or with a number, where it is taken.
    mutating func take(_ name: String, for original: String) -> String {
        if self.taken.insert(name).inserted { return name }
        let spelled =
            name + "_" + original.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        if self.taken.insert(spelled).inserted { return spelled }
        var number = 2
        while !self.taken.insert(spelled + "\(number)").inserted { number += 1 }
        return spelled + "\(number)"
    }
}
