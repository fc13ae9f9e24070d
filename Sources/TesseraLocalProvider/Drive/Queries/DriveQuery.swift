// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The parameter `q` of `files.list`.
///
/// - SeeAlso: [Search query terms and operators](https://developers.google.com/workspace/drive/api/guides/ref-search-terms)
struct DriveQuery: Sendable, Hashable {
    private let condition: DriveCondition

    init(_ text: String) throws(APIFailure) {
        var parser = DriveQueryParser(words: try DriveQueryWord.words(text)[...])
        self.condition = try parser.whole()
    }

    func matches(_ file: DriveFile, for access: DriveAccess) -> Bool {
        self.condition.matches(file, for: access)
    }
}
#endif
