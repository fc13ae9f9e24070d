// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Restricts the model in sessions.pml to one trace of the simulator, which the file in the environment variable TRACE
// contains. `Simulator trace` prints traces, and Docs/Simulation.md lists the events that they consist of. Each step that
// a trace can contain must be the next one of the trace. The other steps can occur at any time. The checker prints
// "accepted" if it reaches the end of the trace. Otherwise it prints the number of steps that the model allows.

#define STEP_MARK 1
#define STEP_SEND 2
#define STEP_ACCEPT 3
#define STEP_REJECT 4
#define STEP_ANSWER 5
#define STEP_SAVE 6
#define STEP_FAIL 7
#define STEP_CLOSE 8
#define STEP_REMOVE 9
#define STEP_KILL 10
#define STEP_RELEASE 11
#define STEP_REVOKE 12

short position;             // the number of steps that have occurred
byte nextStep;
byte nextProcess;
byte nextValue;
byte running;               // the number of processes
byte remover = 255;         // the process that removes the record. Sign-outs that fail are not included.

c_decl {
    static const char *words[] = { "", "mark", "send", "accept", "reject", "answer", "save", "fail", "close", "remove",
        "kill", "release", "revoke" };
    static unsigned char steps[10000][3];
    static int stepCount, furthest, processCount, leases, reuse, removerOfTrace = 255;

    static void report(void) {
        if (furthest == stepCount) printf("accepted\n"); else printf("steps %d\n", furthest);
        fflush(stdout);
        _exit(0);
    }

    static void stop(int signal) {
        printf("undecided\n");
        fflush(stdout);
        _exit(0);
    }

    static void loadTrace(void) {
        FILE *file = fopen(getenv("TRACE"), "r");
        char line[1000], word[1000];
        int process, value, index;
        if (!file || !fgets(line, sizeof line, file)
            || sscanf(line, "trace %d %d %d", &processCount, &leases, &reuse) != 3
            || processCount > PROCESSES) _exit(2);
        while (fgets(line, sizeof line, file) && stepCount < 10000) {
            if (sscanf(line, "%s %d %d", word, &process, &value) != 3) _exit(2);
            for (index = 1; index <= 12 && strcmp(words[index], word); index++) {}
            if (index == 9) removerOfTrace = process;
            steps[stepCount][0] = index;
            steps[stepCount][1] = process;
            steps[stepCount++][2] = value;
        }
        atexit(report);
        signal(SIGALRM, stop);
        alarm(60);
    }
}

// Whether a step is the next one of the trace.
#define SEES(step, p, value) (nextStep == step && nextProcess == p && nextValue == (value))
#define NEXT c_code { \
    now.position++; \
    if (now.position > furthest) furthest = now.position; \
    if (now.position == stepCount) report(); \
    now.nextStep = steps[now.position][0]; \
    now.nextProcess = steps[now.position][1]; \
    now.nextValue = steps[now.position][2]; }
#define LOAD_TRACE c_code { \
    loadTrace(); \
    if (stepCount == 0) report(); \
    now.running = processCount; \
    now.remover = removerOfTrace; \
    now.hasLeases = leases; \
    now.detectsReuse = reuse; \
    now.nextStep = steps[0][0]; \
    now.nextProcess = steps[0][1]; \
    now.nextValue = steps[0][2]; }
