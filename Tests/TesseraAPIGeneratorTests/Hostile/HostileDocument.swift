// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing

/// A small document that contains every field, each of which can be replaced.
struct HostileDocument {
    /// A field with its usual text and its path.
    struct Field: Sendable, CustomTestStringConvertible {
        enum Kind: Sendable {
            /// The field has a grammar that no hostile text matches.
            case strict
            /// The field accepts any text.
            case free
            /// The field has a grammar that allows punctuation, such as that of a scope.
            case loose
            /// The field is not read.
            case unread
        }

        let token: String
        let usual: String
        /// The path in errors, which for a member name is the path of the containing object.
        let path: String
        let kind: Kind

        var testDescription: String { self.token }
    }

    private static func strict(_ token: String, _ usual: String, _ path: String) -> Field {
        Field(token: token, usual: usual, path: path, kind: .strict)
    }

    private static func free(_ token: String, _ usual: String, _ path: String) -> Field {
        Field(token: token, usual: usual, path: path, kind: .free)
    }

    private static func loose(_ token: String, _ usual: String, _ path: String) -> Field {
        Field(token: token, usual: usual, path: path, kind: .loose)
    }

    private static func unread(_ token: String, _ usual: String) -> Field {
        Field(token: token, usual: usual, path: "", kind: .unread)
    }

    static let fields: [Field] =
        [
            Self.strict("name", "notes", "name"), Self.strict("version", "v1", "version"),
            Self.strict("canonicalName", "Notes", "canonicalName"), Self.free("title", "Notes API", "title"),
            Self.strict("revision", "20261123", "revision"), Self.free("description", "Keeps notes.", "description"),
            Self.strict("documentationLink", "https://notes.example/docs", "documentationLink"),
            Self.strict("rootUrl", "https://notes.example/", "rootUrl"),
            Self.strict("servicePath", "notes/v1/", "servicePath"), Self.strict("batchPath", "batch/v1", "batchPath"),
            Self.strict("feature", "labels", "features[0]"),
            Self.loose("scope", "https://a.example/b", "auth.oauth2.scopes"),
            Self.free("scopeDescription", "See notes.", "auth.oauth2.scopes"), Self.strict("schema", "Memo", "schemas"),
            Self.unread("id", "notes:v1"), Self.unread("ownerName", "Notes"), Self.unread("schemaID", "Note"),
            Self.unread("flatPath", "v1/notes"), Self.unread("unknownKey", "mood"), Self.unread("etag", "x"),
        ]
        + [
            Self.free("schemaDescription", "A note.", "description"), Self.strict("property", "title", "properties"),
            Self.strict("type", "string", "properties.kind.type"),
            Self.strict("format", "int64", "properties.kind.format"),
            Self.loose("pattern", "^[a-z]+$", "properties.kind.pattern"),
            Self.free("propertyDescription", "The kind.", "properties.kind.description"),
            Self.strict("minimum", "1", "properties.size.minimum"),
            Self.strict("maximum", "9", "properties.size.maximum"),
            Self.strict("required", "notes.notes.list", "properties.size.annotations.required[0]"),
            Self.strict("reference", "Person", "properties.author.$ref"),
            Self.strict("item", "Person", "properties.readers.items.$ref"),
            Self.strict("value", "Person", "properties.marks.additionalProperties.$ref"),
            Self.strict("enum", "OPEN", "properties.state.enum[0]"),
            Self.free("enumDescription", "It is open.", "properties.state.enumDescriptions[0]"),
            Self.strict("nested", "width", "properties.frame.properties"),
            Self.free("nestedDescription", "The width.", "properties.frame.properties"),
        ]
        .map { field in
            Field(token: field.token, usual: field.usual, path: "schemas.Draft." + field.path, kind: field.kind)
        }
        + [
            Self.strict("resource", "notes", "resources"), Self.strict("inner", "pages", "resources.books.resources"),
            Self.strict("rootMethod", "ping", "methods"), Self.strict("method", "create", "resources.books.methods"),
        ]
        + [
            Self.strict("methodID", "notes.notes.list", "id"),
            Self.free("methodDescription", "Lists notes.", "description"),
            Self.strict("httpMethod", "GET", "httpMethod"), Self.strict("path", "v1/{parent}/notes", "path"),
            Self.strict("order", "parent", "parameterOrder[0]"), Self.loose("methodScope", "openid", "scopes[0]"),
            Self.strict("apiVersion", "2026-11-01", "apiVersion"),
            Self.strict("upload", "/upload/v1/{parent}", "mediaUpload.protocols.simple.path"),
            Self.strict("request", "Note", "request.$ref"), Self.strict("response", "Page", "response.$ref"),
            Self.strict("parameter", "filter", "parameters"),
            Self.strict("location", "query", "parameters.size.location"),
            Self.free("default", "20", "parameters.size.default"),
            Self.free("parameterDescription", "The size.", "parameters.size.description"),
            Self.strict("parameterType", "integer", "parameters.size.type"),
            Self.strict("parameterFormat", "int32", "parameters.size.format"),
            Self.strict("parameterMinimum", "1", "parameters.size.minimum"),
            Self.strict("parameterMaximum", "9", "parameters.size.maximum"),
            Self.loose("parameterPattern", "^a/[^/]+$", "parameters.parent.pattern"),
            Self.strict("parameterEnum", "new", "parameters.order.enum[0]"),
            Self.free("parameterEnumDescription", "By age.", "parameters.order.enumDescriptions[0]"),
        ]
        .map { field in
            let path = "resources.books.methods.list." + field.path
            return Field(token: field.token, usual: field.usual, path: path, kind: field.kind)
        }

    /// Returns the document with other texts in some fields.
    static func bytes(_ texts: [String: String] = [:]) -> [UInt8] {
        var json = ""
        for (location, piece) in Self.pieces.enumerated() {
            // Odd pieces are the names of fields.
            json += location % 2 == 0 ? piece : Self.quoted(texts[piece] ?? Self.usual[piece] ?? "")
        }
        return Array(json.utf8)
    }

    private static let usual = Dictionary(uniqueKeysWithValues: Self.fields.map { ($0.token, $0.usual) })
    private static let pieces = Self.template.components(separatedBy: "%")

    /// Returns a text as a JSON string.
    static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": json += "\\" + String(scalar)
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }

    private static let template = """
        {"kind": "discovery#restDescription", "id": %id%, "name": %name%, "version": %version%, "title": %title%,
        "canonicalName": %canonicalName%, "revision": %revision%, "description": %description%, "etag": %etag%,
        "ownerName": %ownerName%, "documentationLink": %documentationLink%, "rootUrl": %rootUrl%, %unknownKey%: 1,
        "servicePath": %servicePath%, "batchPath": %batchPath%, "features": [%feature%],
        "auth": {"oauth2": {"scopes": {%scope%: {"description": %scopeDescription%}}}},
        "schemas": {
          %schema%: {"type": "object", "properties": {}},
          "Note": {"id": %schemaID%, "type": "object", "properties": {"title": {"type": "string"}}},
          "Person": {"type": "object", "properties": {"name": {"type": "string"}}},
          "Page": {"type": "object", "properties": {"nextPageToken": {"type": "string"},
            "notes": {"type": "array", "items": {"$ref": "Note"}}}},
          "Draft": {"type": "object", "description": %schemaDescription%, "properties": {
            %property%: {"type": "boolean"},
            "kind": {"type": %type%, "format": %format%, "pattern": %pattern%, "description": %propertyDescription%},
            "size": {"type": "integer", "minimum": %minimum%, "maximum": %maximum%, "annotations": {"required": [%required%]}},
            "author": {"$ref": %reference%},
            "readers": {"type": "array", "items": {"$ref": %item%}},
            "marks": {"type": "object", "additionalProperties": {"$ref": %value%}},
            "state": {"type": "string", "enum": [%enum%], "enumDescriptions": [%enumDescription%]},
            "frame": {"type": "object", "properties": {
              %nested%: {"type": "integer"}, "width_": {"type": "integer", "description": %nestedDescription%}}}
          }}
        },
        "methods": {%rootMethod%: {"id": "notes.ping", "httpMethod": "GET", "path": "ping"}},
        "resources": {
          %resource%: {"methods": {}},
          "books": {
            "resources": {%inner%: {"methods": {}}},
            "methods": {
              %method%: {"id": "notes.notes.create", "httpMethod": "POST", "path": "v1/notes"},
              "list": {"id": %methodID%, "description": %methodDescription%, "httpMethod": %httpMethod%, "path": %path%,
                "flatPath": %flatPath%, "parameterOrder": [%order%], "scopes": [%methodScope%],
                "apiVersion": %apiVersion%, "mediaUpload": {"protocols": {"simple": {"path": %upload%}}},
                "request": {"$ref": %request%}, "response": {"$ref": %response%}, "parameters": {
                  %parameter%: {"type": "string", "location": "query"},
                  "parent": {"type": "string", "location": "path", "required": true, "pattern": %parameterPattern%},
                  "pageToken": {"type": "string", "location": "query"},
                  "size": {"type": %parameterType%, "format": %parameterFormat%, "location": %location%,
                    "default": %default%, "description": %parameterDescription%,
                    "minimum": %parameterMinimum%, "maximum": %parameterMaximum%},
                  "order": {"type": "string", "location": "query", "enum": [%parameterEnum%],
                    "enumDescriptions": [%parameterEnumDescription%]}
                }}
            }
          }
        }}
        """
}
