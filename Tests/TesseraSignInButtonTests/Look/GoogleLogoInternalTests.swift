// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraSignInButton
internal import Testing

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif
#if canImport(FoundationXML)
internal import FoundationXML
#endif

@Suite("Google logo")
struct GoogleLogoInternalTests {
    @Test("Uses four colors in closed outlines within its bounds")
    func parts() {
        #expect(Set(GoogleLogo.parts.map(\.color.hex)) == ["#4285F4", "#34A853", "#FBBC05", "#EA4335"])
        for part in GoogleLogo.parts {
            guard case .move = part.outline.first, part.outline.last == .close else {
                Issue.record("The outline must begin with a move and be closed.")
                continue
            }
            for point in part.outline.compactMap(Self.end) {
                #expect((0...GoogleLogo.side).contains(Double(point.x)))
                #expect((0...GoogleLogo.side).contains(Double(point.y)))
            }
        }
    }

    @Test("Leaves no gaps between adjacent parts")
    func seams() {
        let points = GoogleLogo.parts.map { Set($0.outline.compactMap(Self.end).map { "\($0)" }) }
        for (part, next) in zip(points, points.dropFirst()) { #expect(part.intersection(next).count == 2) }
    }

    @Test("Keeps its shape in a frame")
    func placed() throws {
        let frame = CGRect(x: 100, y: 10, width: 24, height: 24)
        let blue = try #require(GoogleLogo.parts.last).outline(in: frame)
        #expect(blue.first == .move(CGPoint(x: 112, y: 20)))
        #expect(blue.last == .close)
    }

    @Test("Renders well-formed SVG with one path per part", arguments: [GoogleLogo.svg, GoogleLogo.namedSVG])
    func svg(markup: String) {
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(markup.utf8))
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.names == ["svg", "path", "path", "path", "path"])
    }

    private static func end(_ element: GoogleLogoElement) -> CGPoint? {
        switch element {
        case .move(let point), .line(let point), .curve(let point, _, _): point
        case .close: nil
        }
    }

    private final class ElementCounter: NSObject, XMLParserDelegate {
        var names: [String] = []

        func parser(
            _ parser: XMLParser,
            didStartElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?,
            attributes attributeDict: [String: String]
        ) {
            self.names.append(elementName)
        }
    }
}
