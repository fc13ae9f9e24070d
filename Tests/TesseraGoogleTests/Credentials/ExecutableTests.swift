// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

#if !canImport(Darwin) || canImport(AppKit)
@Suite("External account credentials from a program")
struct ExecutableTests {
    private static let allowed = ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1", "PATH": "/usr/bin:/bin"]
    private static let token =
        #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"from-program"}"#

    /// Returns credentials that run a script.
    private static func credentials(
        _ google: ScriptedGoogle,
        _ script: String,
        _ members: [JSONMember] = [],
        variables: [String: String] = Self.allowed
    ) throws -> GoogleCredentials {
        // The shell reads the script. If the script were executed, this would fail with ETXTBSY while a process that
        // another test has forked still has the file open for writing.
        let path = try google.write(script, "program")
        let command = JSONMember(name: "command", value: .string("/bin/sh '\(path)' --audience \"a b\""))
        let executable: JSONNode = .object([command] + members)
        return try google.load(
            try ScriptedGoogle.externalAccount(["executable": executable]),
            options: google.options(variables)
        )
    }

    @Test("Runs the program with its arguments, and without this process's secrets", .covers(172), .shows(claims: 46))
    func run() async throws {
        let google = try ScriptedGoogle()
        let output = google.directory + "/environment"
        let script = "env > '\(output)'; printf '%s' \"$2\" >> '\(output)'; echo warning >&2; echo '\(Self.token)'"
        var variables = Self.allowed
        variables["MY_API_TOKEN"] = "canary-token"
        let credentials = try Self.credentials(google, script, variables: variables)
        _ = try await credentials.accessToken()
        #expect(google.requests.first?.formValue("subject_token") == "from-program")
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        #expect(text.contains("GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE=\(ScriptedGoogle.audience)\n"))
        #expect(text.contains("GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE=urn:ietf:params:oauth:token-type:jwt\n"))
        #expect(text.contains("GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE=0\n"))
        #expect(text.hasSuffix("a b"))
        #expect(!text.contains("canary-token"))
    }

    @Test("Accepts the token of a program whose status is unknown because this process ignores SIGCHLD")
    func unknownStatus() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let google = try ScriptedGoogle()
            _ = try await Self.credentials(google, "echo '\(Self.token)'").accessToken()
            #expect(google.requests.first?.formValue("subject_token") == "from-program")
        }
    }

    @Test(
        "Does not run a program unless the environment allows it",
        .covers(172),
        .shows(claims: 46),
        arguments: [nil, "0", "true"]
    )
    func notAllowed(_ value: String?) async throws {
        let google = try ScriptedGoogle()
        let mark = google.directory + "/ran"
        var variables = Self.allowed
        variables["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = value
        let credentials = try Self.credentials(google, "touch '\(mark)'", variables: variables)
        await #expect { try await credentials.accessToken() } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .subjectToken && error?.recoverySuggestion?.contains("ALLOW_EXECUTABLES=1") == true
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test(
        "Reports what is wrong with the program or its output, without repeating the output",
        .covers(172),
        .shows(claims: 46),
        arguments: [
            ("exit 3", "status 3"), ("echo canary-output", "not"), ("echo '{}'", "version"),
            (#"echo '{"version":2,"success":true}'"#, "version 2"), (#"echo '{"version":1}'"#, "success"),
            (#"echo '{"version":1,"success":false,"code":"401","message":"denied"}'"#, "denied"),
            (#"echo '{"version":1,"success":true,"token_type":"other"}'"#, "other"),
            (
                #"echo '{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"canary-output","expiration_time":1}'"#,
                "expired"
            ),
            ("head -c 3000000 /dev/zero", "more than"), ("kill -9 $$", "status 137"),
        ]
    )
    func failures(_ script: String, _ reason: String) async throws {
        let google = try ScriptedGoogle()
        let credentials = try Self.credentials(google, script)
        await #expect { try await credentials.accessToken() } throws: { error in
            "\(error)".contains(reason) && !"\(error)".contains("canary-output")
        }
        #expect(google.requests.isEmpty)
    }

    @Test("Uses the output file until its token expires")
    func outputFile() async throws {
        let google = try ScriptedGoogle()
        let now = Int64(google.clock.date.timeIntervalSince1970)
        let file = try google.write(Self.token.dropLast() + #","expiration_time":\#(now + 60)}"#, "output")
        let member = JSONMember(name: "output_file", value: .string(file))
        let fresh = Self.token.replacing("from-program", with: "from-run")
        let credentials = try Self.credentials(google, "echo '\(fresh)'", [member])
        _ = try await credentials.accessToken()
        google.clock.advance(by: .seconds(3_600))
        _ = try await credentials.accessToken()
        #expect(google.requests.map { $0.formValue("subject_token") } == ["from-program", "from-run"])
    }

    @Test("Reads the output file if the program prints nothing")
    func outputFileOnly() async throws {
        let google = try ScriptedGoogle()
        let member = JSONMember(name: "output_file", value: .string(google.directory + "/output"))
        let credentials = try Self.credentials(google, "echo '\(Self.token)' > '\(google.directory)/output'", [member])
        _ = try await credentials.accessToken()
        #expect(google.requests.first?.formValue("subject_token") == "from-program")
    }

    @Test("Kills a program that does not end in time, with its descendants", .covers(172), .shows(claims: 46))
    func timeout() async throws {
        let google = try ScriptedGoogle()
        let credentials = try Self.credentials(google, "sleep 600 & wait")
        let task = Task { try await credentials.accessToken() }
        await google.clock.sleeperCount(reaches: 1)
        google.clock.advance(by: .seconds(30))
        await #expect { try await task.value } throws: { "\($0)".contains("did not end within 30") }
    }

    @Test("Does not wait for a descendant that has left the program's process group", .covers(172), .shows(claims: 46))
    func survivor() async throws {
        let google = try ScriptedGoogle()
        let file = google.directory + "/survivor"
        let script = "setsid sh -c 'echo $$ > \"$0\"; exec sleep 600' '\(file)' & wait"
        let credentials = try Self.credentials(google, script)
        let task = Task { try await credentials.accessToken() }
        await google.clock.sleeperCount(reaches: 1)
        google.clock.advance(by: .seconds(30))
        await #expect { try await task.value } throws: { "\($0)".contains("did not end within 30") }
        if let text = try? String(contentsOfFile: file, encoding: .utf8), let process = pid_t(text.dropLast()) {
            kill(process, SIGKILL)
        }
    }

    @Test("Reports a program that cannot be started", .covers(172), arguments: ["program", "missing"])
    func notStarted(_ name: String) async throws {
        let google = try ScriptedGoogle()
        try google.write("\0", "program", mode: 0o700)
        let command = JSONNode.string("'\(google.directory)/\(name)'")
        let file = try ScriptedGoogle.externalAccount(["executable": ["command": command]])
        let credentials = try google.load(file, options: google.options(Self.allowed))
        await #expect { try await credentials.accessToken() } throws: { GoogleCredentialsError.Code.subjectToken ~= $0 }
        #expect(google.requests.isEmpty)
    }

    @Test(
        "Interacts with the user only for a workforce pool with an output file and a timeout",
        arguments: [false, true]
    )
    func interactive(_ isComplete: Bool) async throws {
        let google = try ScriptedGoogle()
        var options = google.options(Self.allowed)
        options.isInteractive = true
        let output = google.directory + "/output"
        let token = Self.token.replacing("from-program", with: "mode-'$GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE'")
        let script = "echo '\(token)' > '\(output)'"
        let program = try google.write(script, "program")
        var executable: [JSONMember] = [
            JSONMember(name: "command", value: .string("/bin/sh '\(program)'")),
            JSONMember(name: "output_file", value: .string(output)),
        ]
        if isComplete { executable.append(JSONMember(name: "interactive_timeout_millis", value: 30_000)) }
        let file = try ScriptedGoogle.externalAccount(
            ["executable": .object(executable)],
            ["audience": "//iam.googleapis.com/locations/global/workforcePools/p/providers/q"]
        )
        _ = try await google.load(file, options: options).accessToken()
        #expect(google.requests.first?.formValue("subject_token") == "mode-\(isComplete ? 1 : 0)")
    }

    @Test(
        "Splits a command as a shell does",
        arguments: [
            ("a b  c", ["a", "b", "c"]), ("'a b' \"c d\"", ["a b", "c d"]), (#"a\ b"#, ["a b"]),
            (#""a\"b" 'c\d'"#, [#"a"b"#, #"c\d"#]), ("a''", ["a"]), ("''", [""]), ("", []), ("'a", nil),
            (#"a\\"#, [#"a\"#]), ("a\tb\nc", ["a", "b", "c"]), ("\\", nil), ("\"a", nil), (#"x'y'"z""#, ["xyz"]),
        ] as [(String, [String]?)]
    )
    func words(_ command: String, _ expected: [String]?) {
        #expect(ShellWords.split(command) == expected)
    }
}
#endif
