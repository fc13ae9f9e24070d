// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Tessera
internal import TesseraUserAgents

// A desktop program that receives its redirect through a private scheme. `SchemeProbe wait SCHEME` begins a sign-in and
// prints the redirect. The desktop starts the program with a URL.

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

if RedirectForwarding().deliver(CommandLine.arguments) {
    say("forwarded")
    exit(0)
}
let words = CommandLine.arguments.dropFirst()
guard words.count == 2, words.first == "wait", let scheme = words.last else {
    say("no process is waiting")
    exit(3)
}
let browser = SystemBrowser(command: .none, environment: [:]) { _ in say("waiting") }
let agent = PrivateSchemeBrowser(redirectURI: scheme + ":/callback", browser: browser)
let redirect = try await agent.withRedirectReceiver { receiver in
    try await receiver.present("https://as.example/authorize")
    while let redirect = try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(60))) {
        guard redirect.response.uri.hasSuffix("&state=right") else {
            await redirect.reply(.unrelated(reason: "the state does not match"))
            continue
        }
        await redirect.reply(.completed(CompletionPage(account: "ada", provider: "as.example")))
        return redirect.response.uri
    }
    throw SignInError(.canceled)
}
say(redirect)
