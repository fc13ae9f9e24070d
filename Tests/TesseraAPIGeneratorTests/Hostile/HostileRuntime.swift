// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A minimal replacement for the runtime of generated code, which only stores and reads strings.
enum HostileRuntime {
    static let code = """
        public struct APIService { public init() {} }
        public protocol APIClient {}
        public protocol APIObject { init() }
        public protocol APIRequest { var arguments: APIArguments { get } }
        public protocol APIEnumeration { var rawValue: String { get } }
        public struct NoContent {}
        public struct JSONNode {}
        public struct APIEndpoint {
            public init(name: String, version: String, rootURL: String, servicePath: String, batchPath: String) {}
        }
        public struct APIShape { public init(_ lines: String = "", _ objects: [String: Any.Type] = [:]) {} }
        public struct APIMethod { public init(_ id: String, _ httpMethod: String, _ path: String) {} }
        public struct APIStorage {
            public var values: [String: String] = [:]
            public init() {}
            public subscript(string name: String) -> String? {
                get { self.values[name] }
                set { self.values[name] = newValue }
            }
            public subscript<Value>(value name: String) -> Value? {
                get { nil }
                set {}
            }
        }
        public struct APIArguments {
            public var parameters = APIStorage()
            public init() {}
        }
        public struct APICall<Request: APIRequest> {
            public let request: Request
            public init(_ request: Request, _ service: APIService) { self.request = request }
        }
        public enum TesseraOAuth {
            public struct Scope: ExpressibleByStringLiteral { public init(stringLiteral value: String) {} }
        }
        struct CopiedObject {
            init<Object: APIObject>(_ type: Object.Type, copy: (Object) -> Object) { _ = copy(Object()) }
        }
        struct MadeCall {
            let values: [String: String]
            init<Request: APIRequest>(_ call: APICall<Request>) { self.values = call.request.arguments.parameters.values }
        }
        protocol ObjectCopies { static var all: [CopiedObject] { get } }
        protocol MethodCalls {
            associatedtype Client
            static func all(_ api: Client) -> [MadeCall]
        }
        """
}
