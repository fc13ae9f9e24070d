// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// What ``ArchiveReader`` reads, written; nil is written as null, as AppAuth does it.
extension NSCoder {
    func encode(text: String?, forKey key: String) { self.encode(text.map { NSString(string: $0) }, forKey: key) }

    func encode(url: URL?, forKey key: String) {
        self.encode(url.flatMap { NSURL(string: $0.absoluteString) }, forKey: key)
    }

    func encode(date: Date?, forKey key: String) {
        let date = date.map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
        self.encode(date, forKey: key)
    }

    func encode(texts: [String]?, forKey key: String) {
        self.encode(texts.map { NSArray(array: $0.map { NSString(string: $0) }) }, forKey: key)
    }

    func encode(urls: [URL], forKey key: String) {
        self.encode(NSArray(array: urls.compactMap { NSURL(string: $0.absoluteString) }), forKey: key)
    }

    func encode(members: [String: String]?, forKey key: String) {
        self.encode(members.map { JSONParameters($0).archived }, forKey: key)
    }
}
