// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraUserAgents
internal import Testing

@Suite("Private scheme names")
struct PrivateSchemeNameInternalTests {
    @Test(
        "Accepts a domain name in reverse order",
        arguments: ["com.example.app", "com.googleusercontent.apps.123-abc", "COM.Example.App", "io.x+y-z.1"]
    )
    func accepted(_ name: String) {
        #expect(PrivateScheme(name)?.name == name.lowercased())
        #expect(PrivateScheme(of: name + ":/callback?code=1")?.name == name.lowercased())
    }

    @Test(
        "Rejects shared schemes and invalid names",
        arguments: [
            "", "http", "https", "mailto", "file", "myapp", "1.com", ".com", "com.", "com..app", "com.example/app",
            "com.example app", "com.example:app", "com.exämple", "soap.beep", "com.e\u{301}x", "com.example\n",
            "com." + String(repeating: "a", count: 200),
        ]
    )
    func refused(_ name: String) {
        #expect(PrivateScheme(name) == nil)
        #expect(PrivateScheme.objection(to: name)?.isEmpty == false)
    }

    @Test("Returns no scheme for a text without one")
    func noURI() {
        #expect(PrivateScheme(of: "com.example.app") == nil)
        #expect(PrivateScheme(of: "/tmp/com.example.app:x") == nil)
    }
}
