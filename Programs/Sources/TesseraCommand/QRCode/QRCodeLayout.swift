// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The measures of one version of the code, at error correction level L.
struct QRCodeLayout {
    /// 1 to 20.
    let version: Int

    private static let correctionPerBlock = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
    ]
    private static let blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

    /// The smallest version that holds so many bytes; nil where none does.
    init?(holding count: Int) {
        let fitting = (1...Self.blocks.count).lazy.map(QRCodeLayout.init(version:))
            .first { 4 + $0.countBits + 8 * count <= 8 * $0.dataCount }
        guard let fitting else { return nil }
        self = fitting
    }

    private init(version: Int) { self.version = version }

    /// Modules of a side.
    var size: Int { 17 + 4 * self.version }
    /// How many bits say how many bytes follow.
    var countBits: Int { self.version < 10 ? 8 : 16 }
    /// Into how many blocks the data is divided.
    var blockCount: Int { Self.blocks[self.version - 1] }
    /// Codewords of error correction of each block.
    var correctionCount: Int { Self.correctionPerBlock[self.version - 1] }
    /// Codewords of data.
    var dataCount: Int { self.codewordCount - self.blockCount * self.correctionCount }

    /// All codewords: the modules that no pattern takes, in eights.
    var codewordCount: Int {
        var modules = (16 * self.version + 128) * self.version + 64
        if self.version >= 2 {
            let count = self.version / 7 + 2
            modules -= (25 * count - 10) * count - 55
        }
        if self.version >= 7 { modules -= 36 }
        return modules / 8
    }

    /// The middles of the alignment patterns, in either direction.
    var alignmentPositions: [Int] {
        guard self.version >= 2 else { return [] }
        let count = self.version / 7 + 2
        let step = (self.version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { self.size - 7 - $0 * step }.reversed()
    }
}
