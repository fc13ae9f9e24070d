// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth

extension APIService {
    /// A call of a method as HTTP, without token; a GET whose URL is too long for some servers as a POST.
    ///
    /// - Parameters:
    ///   - method: what is called.
    ///   - arguments: its parameters and body.
    ///   - uploadPath: where a file goes along with it.
    ///   - query: parameters beside the method's own.
    ///   - headerFields: fields beside those that every call has.
    /// - Returns: the request and its body.
    /// - Throws: ``MissingScope``; `InvalidRequest` for a parameter of the path that cannot be.
    package func message(
        _ method: APIMethod,
        _ arguments: APIArguments,
        uploadPath: String? = nil,
        query: URLQuery = [:],
        headerFields: HTTPFields = [:]
    ) throws -> APIMessage {
        try self.checkGrant(of: method)
        let parameters = arguments.parameters
        var path = try self.path(reserving: 256)
        if uploadPath == nil { path += self.endpoint.servicePath }
        let named = try URITemplate(uploadPath ?? method.path)
            .expand(into: &path) { (name) -> String? in parameters.node(name)?.pathText }
        var target = URLQuery(after: path)
        for member in parameters.members where !named.contains(member.name) { target.add(member.name, member.value) }
        target += query
        target.add(encoded: "prettyPrint=false")
        var message = APIMessage(
            request: try self.request(method.httpMethod, target: target.text),
            body: arguments.body?.serialized()
        )
        if let version = method.apiVersion { message.set("X-Goog-Api-Version", version) }
        message.request.headerFields.append(contentsOf: headerFields)
        if message.body != nil { message.request.headerFields[.contentType] = "application/json; charset=utf-8" }
        return message.shortened()
    }
}

extension JSONNode {
    /// A parameter of the path as text: the first of a list; nil for null.
    fileprivate var pathText: String? {
        if let text = self.stringValue { return text }
        if let elements { return elements.first?.pathText }
        return self.isNull ? nil : self.text()
    }
}
