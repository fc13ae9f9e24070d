// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// The parameters of a URL's query or of a form, in the order in which they were added.
///
/// Names and values are percent-encoded. A space becomes `%20`. This class is not thread-safe.
open class OIDURLQueryComponent: NSObject {
    private var pairs: [(name: String, value: String)] = []

    /// Creates an empty query.
    override public init() { super.init() }

    /// Creates a query from a URL.
    ///
    /// A `+` stands for a space. A parameter without a value has an empty one.
    ///
    /// - Returns: nil if the query contains an invalid percent escape or text that is not UTF-8.
    public init?(url URL: URL) {
        let text = URL.absoluteString.prefix { $0 != "#" }
        let query = text.firstIndex(of: "?").map { text[text.index(after: $0)...] } ?? ""
        guard let form = try? FormParameters(decoding: query) else { return nil }
        self.pairs = form.parameters.map { ($0.name, $0.value) }
        super.init()
    }

    /// The distinct names, in the order in which they were added.
    public var parameters: [String] {
        var seen: Set<String> = []
        return self.pairs.map(\.name).filter { seen.insert($0).inserted }
    }

    /// The values by name.
    ///
    /// A name that was added once has a string, and a name that was added several times an array of strings.
    public var dictionaryValue: [String: Any] {
        Dictionary(
            uniqueKeysWithValues: self.parameters.map { name in
                let values = self.values(forParameter: name)
                return (name, values.count == 1 ? values[0] as Any : values as Any)
            }
        )
    }

    /// Returns the values of a parameter, in the order in which they were added.
    open func values(forParameter parameter: String) -> [String] {
        self.pairs.filter { $0.name == parameter }.map(\.value)
    }

    /// Adds a parameter, even if there is already one with the same name.
    open func addParameter(_ parameter: String, value: String) { self.pairs.append((parameter, value)) }

    /// Adds parameters, sorted by name.
    open func addParameters(_ parameters: [String: String]) {
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { self.addParameter(name, value: value) }
    }

    /// Returns a URL whose query is replaced with these parameters.
    ///
    /// The fragment is retained.
    open func urlByReplacingQuery(in URL: URL) -> URL {
        let page = URL.absoluteString.prefix { $0 != "?" && $0 != "#" }
        let fragment = URL.absoluteString.drop { $0 != "#" }
        return Foundation.URL(string: "\(page)?\(self.urlEncodedParameters())\(fragment)") ?? URL
    }

    /// Returns the encoded parameters.
    open func urlEncodedParameters() -> String {
        self.pairs.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// Returns the characters that are not percent-encoded in a value: those allowed in a query, except `=`, `&` and `+`.
    open class func urlParamValueAllowedCharacters() -> NSMutableCharacterSet {
        // On Linux, only a copy of a set can be changed. Changing any other set ends the app.
        (Self.allowed as NSCharacterSet).mutableCopy() as? NSMutableCharacterSet ?? .alphanumeric()
    }

    private static let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "=&+"))

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: self.allowed) ?? ""
    }
}
