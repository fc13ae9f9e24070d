// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

/// The address of a profile picture, in which Google lets its size be chosen.
struct ProfilePicture {
    private let base: String
    private let isSizedByPath: Bool

    /// Nil for what is no https URL.
    init?(_ text: String) {
        guard let parts = URIParts(text), parts.scheme == "https", let host = parts.host, URL(string: text) != nil
        else {
            return nil
        }
        let plain = text.prefix { $0 != "?" && $0 != "#" }
        self.isSizedByPath = Self.isPictureHost(host) && (plain.contains("/a/") || plain.contains("/a-/"))
        // Options stand behind the last «=», as in «…/photo=s96-c».
        let options = self.isSizedByPath ? plain.lastIndex(of: "=") : nil
        self.base = String(options.map { plain[..<$0] } ?? plain)
    }

    func url(dimension: UInt) -> URL? {
        URL(string: self.isSizedByPath ? "\(self.base)=s\(dimension)" : "\(self.base)?sz=\(dimension)")
    }

    /// `lh3` to `lh6` of googleusercontent or google.
    private static func isPictureHost(_ host: String) -> Bool {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count >= 3, let first = labels.first, ["lh3", "lh4", "lh5", "lh6"].contains(first) else {
            return false
        }
        return labels.contains("googleusercontent") || labels.contains("google")
    }
}
