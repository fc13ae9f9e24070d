# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The hosts, the network and the database servers of Scripts/partitions.

A host is a network namespace that is connected to the router, which is the namespace of the script. The router discards
packets between hosts that are partitioned. The data of each database server is on a small disk of its own.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

PASSWORD = "partitions"
PORT = 5432
DISK = "160m"
AUDIT = """
CREATE SCHEMA audit;
CREATE TABLE audit.change (
    id bigserial PRIMARY KEY, xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(), kind text NOT NULL, owner text, generation bigint, digest text
);
CREATE FUNCTION audit.session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO audit.change (kind) VALUES ('remove');
    ELSE
        INSERT INTO audit.change (kind, generation, digest)
        VALUES ('record', NEW.generation, left(encode(sha256(NEW.record), 'hex'), 16));
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION audit.lease() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO audit.change (kind, owner) VALUES ('released', replace(OLD.owner::text, '-', ''));
    ELSE
        INSERT INTO audit.change (kind, owner) VALUES ('leased', replace(NEW.owner::text, '-', ''));
    END IF;
    RETURN NULL;
END $$;
INSERT INTO audit.change (kind, generation, digest)
    SELECT 'record', generation, left(encode(sha256(record), 'hex'), 16) FROM tessera.session;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON tessera.session FOR EACH ROW EXECUTE FUNCTION audit.session();
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON tessera.lease FOR EACH ROW EXECUTE FUNCTION audit.lease();
"""


def run(*command, check=True, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if check and result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:6]))} failed: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def wait(condition, seconds, what):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise RuntimeError(f"timed out: {what}")


class Host:
    """A network namespace with one address."""

    def __init__(self, name, number):
        self.name = name
        self.address = f"10.79.{number}.2"
        router, link = f"10.79.{number}.1", f"to-{name}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "address", "add", f"{router}/30", "dev", link)
        run("ip", "link", "set", link, "up")
        for command in (f"address add {self.address}/30 dev eth0", "link set eth0 up", "link set lo up",
                        f"route add default via {router}"):
            run("ip", "-netns", name, *command.split())

    def command(self, *command):
        return ["ip", "netns", "exec", self.name, *map(str, command)]


class Network:
    """The router between the hosts."""

    def __init__(self):
        run("ip", "link", "set", "lo", "up")
        pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="ascii")
        self.hosts = {}

    def add(self, name):
        self.hosts[name] = Host(name, len(self.hosts) + 1)
        return self.hosts[name]

    @staticmethod
    def cut(source, target):
        """Discards all packets from one host to another, until the result is called."""
        rule = ["from", source.address, "to", target.address, "blackhole"]
        run("ip", "rule", "add", *rule)
        return lambda: run("ip", "rule", "del", *rule, check=False)

    @classmethod
    def partition(cls, *pairs):
        """Discards all packets between pairs of hosts, until the result is called."""
        undo = [cls.cut(*pair) for left, right in pairs for pair in ((left, right), (right, left))]
        return lambda: [step() for step in undo]


class Server:
    """A PostgreSQL server on its own host and disk."""

    def __init__(self, host, folder, programs, log):
        self.host, self.programs, self.log = host, programs, log
        self.folder = folder / host.name
        self.disk = self.folder / "disk"
        self.data = self.disk / "data"
        self.process = None
        self.settings = {}
        self.disk.mkdir(parents=True)
        run("mount", "-t", "tmpfs", "-o", f"size={DISK},mode=0755", "none", self.disk)
        for path in (self.folder, self.disk):
            shutil.chown(path, "postgres", "postgres")

    def as_postgres(self, *command):
        return self.host.command("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command)

    def initialize(self):
        password = self.folder / "password"
        password.write_text(PASSWORD, encoding="ascii")
        password.chmod(0o644)
        run(*self.as_postgres(
            self.programs / "initdb", "--pgdata", self.data, "--username=postgres", "--pwfile", password,
            "--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C", "--wal-segsize=1",
            "--no-instructions", "--no-sync"), cwd=self.folder)

    def configure(self, **settings):
        """Writes the configuration, which is not part of the data that a standby copies."""
        self.settings = {
            "listen_addresses": "*", "port": PORT, "unix_socket_directories": self.folder, "max_connections": 200,
            "shared_buffers": "16MB", "wal_level": "replica", "max_wal_senders": 8, "hot_standby": "on",
            "wal_sender_timeout": "5s", "wal_receiver_timeout": "5s", "wal_retrieve_retry_interval": "500ms",
            "max_wal_size": "24MB", "min_wal_size": "4MB", "wal_keep_size": "16MB", "checkpoint_timeout": "30s",
            "hba_file": self.folder / "hba.conf", "ident_file": self.data / "pg_ident.conf", "log_timezone": "UTC",
            "data_directory": self.data, "log_min_messages": "warning", **settings,
        }
        lines = [f"{name} = '{value}'" for name, value in self.settings.items()]
        (self.folder / "postgresql.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.folder / "hba.conf").write_text(
            "local all all trust\nhost replication all all trust\nhost all all all scram-sha-256\n", encoding="utf-8")

    def start(self):
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.as_postgres(self.programs / "postgres", "-c", f"config_file={self.folder}/postgresql.conf"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def processes(self):
        if not self.process:
            return []
        children = run("ps", "-o", "pid=", "--ppid", self.process.pid, check=False).split()
        return [self.process.pid] + [int(pid) for pid in children]

    def signal(self, number):
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """Kills all processes of the server."""
        if not self.process:
            return
        pids = self.processes()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.process = None
        wait(lambda: not any(self.is_running(pid) for pid in pids), 10, "the server's processes end")

    @staticmethod
    def is_running(pid):
        try:
            # The children of a killed server are inherited by the script, which is the first process of its namespace.
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass
        return pathlib.Path(f"/proc/{pid}").exists()

    def sql(self, text, database="postgres", check=True):
        """Returns the rows of a statement, through a local socket that no partition affects."""
        output = run(
            self.programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres",
            "-d", database, "-c", text, check=check, env={"PGCONNECT_TIMEOUT": "5", "PGOPTIONS": "-c statement_timeout=8000"})
        return [line.split("|") for line in output.splitlines()]

    def is_ready(self):
        return self.sql("SELECT 1", check=False) == [["1"]]

    def started(self, seconds=60):
        wait(self.is_ready, seconds, f"{self.host.name} accepts connections")

    def fill_disk(self):
        """Fills the disk, until the result is called."""
        path = self.disk / "ballast"
        with open(path, "wb", buffering=0) as file:
            block = bytes(65536)
            try:
                while file.write(block):
                    pass
            except OSError:
                pass
        return lambda: path.unlink(missing_ok=True)


class Cluster:
    """A primary and a standby, which is promoted when the primary fails."""

    def __init__(self, hosts, folder, programs, accounts, synchronous, history, logs):
        self.servers = [Server(host, folder, programs, logs / f"{host.name}.log") for host in hosts]
        self.primary, self.standby = self.servers
        self.programs, self.accounts, self.history = programs, accounts, history
        self.synchronous = synchronous
        self.is_synchronous = False
        self.lock = threading.RLock()

    def start(self):
        self.primary.initialize()
        self.primary.configure()
        self.primary.start()
        self.primary.started()
        self.primary.sql(f"CREATE ROLE tessera LOGIN PASSWORD '{PASSWORD}'")
        for account in self.accounts:
            self.primary.sql(f"CREATE DATABASE {account} OWNER tessera")

    def audit(self):
        for account in self.accounts:
            self.primary.sql(AUDIT, account)

    def copy(self):
        """Replaces the standby's data with a copy of the primary's, and starts it."""
        standby, primary = self.standby, self.primary
        standby.kill()
        shutil.rmtree(standby.data, ignore_errors=True)
        (standby.disk / "ballast").unlink(missing_ok=True)
        standby.configure(primary_conninfo=f"host={primary.host.address} port={PORT} user=postgres application_name=standby "
                                           "connect_timeout=2")
        run(*standby.as_postgres(
            self.programs / "pg_basebackup", "--pgdata", standby.data, "--host", primary.host.address, "--port", PORT,
            "--username", "postgres", "--wal-method=stream", "--checkpoint=fast", "--no-sync"), cwd=standby.folder, timeout=60)
        (standby.data / "standby.signal").touch()
        standby.start()
        standby.started()
        wait(self.is_streaming, 60, "the standby receives changes")
        if self.synchronous:
            primary.configure(synchronous_standby_names="*")
            os.kill(primary.process.pid, signal.SIGHUP)
            wait(lambda: self.is_streaming("sync"), 60, "replication is synchronous")
            # Transactions that were committed before are received before this one.
            primary.sql("SELECT pg_current_xact_id()")
            self.is_synchronous = True
        self.history.add("replication", synchronous=self.is_synchronous, primary=primary.host.name)

    def is_streaming(self, state=None):
        rows = self.primary.sql("SELECT state, sync_state FROM pg_stat_replication WHERE application_name = 'standby'",
                                check=False)
        return any(row[0] == "streaming" and state in (None, row[1]) for row in rows)

    def changes(self, server):
        """Returns the changes that a server has committed, by account."""
        query = "SELECT id, xid, extract(epoch FROM at), kind, coalesce(owner, ''), coalesce(generation, -1), " \
            "coalesce(digest, '') FROM audit.change ORDER BY id"
        return {account: [{"id": int(row[0]), "xid": int(row[1]), "time": float(row[2]), "kind": row[3], "owner": row[4],
                           "generation": int(row[5]), "digest": row[6]} for row in server.sql(query, account)]
                for account in self.accounts}

    def promote(self):
        """Makes the standby the primary. The primary must be dead or cut off from its clients."""
        self.standby.sql("SELECT pg_promote(false)")
        wait(lambda: self.standby.sql("SELECT pg_is_in_recovery()", check=False) == [["f"]], 30, "the standby is promoted")
        self.primary, self.standby = self.standby, self.primary
        self.is_synchronous = False
        self.history.add("promoted", primary=self.primary.host.name)

    def lost(self):
        """Records which transactions of the former primary, which must be dead, the new primary has not received."""
        former = self.standby
        former.configure(listen_addresses="", synchronous_standby_names="")
        (former.disk / "ballast").unlink(missing_ok=True)
        former.start()
        former.started()
        before = self.changes(former)
        former.sql("CHECKPOINT")
        end = former.sql("SELECT pg_current_wal_flush_lsn()")[0][0]
        former.kill()
        after = self.changes(self.primary)
        line, switch = self.timeline()
        # The log of the former primary shows, independently of its tables, which transactions came after the switch.
        # The name of the file that contains the position. A file has 1 MB.
        high, low = (int(part, 16) for part in switch.split("/"))
        name = f"{int(line):08X}{high:08X}{low >> 20:08X}"
        text = run(self.programs / "pg_waldump", "--start", switch, "--end", end, "--rmgr", "Transaction",
                   former.data / "pg_wal" / name) if switch != end else ""
        with open(former.log.with_suffix(".wal"), "a", encoding="utf-8") as log:
            log.write(f"timeline {line} from {switch} to {end}\n{text}")
        unreceived = [int(xid) for xid in re.findall(r"tx: +(\d+),.*COMMIT", text)]
        for account in self.accounts:
            # A client can repeat a statement after the failover, and it can receive the same numbers, but at another time.
            missing = [change for change in before[account] if change not in after[account]]
            self.history.add("lost", account=account, changes=missing,
                             unreceived=[change["id"] for change in before[account] if change["xid"] in unreceived])

    def timeline(self):
        """Returns the former primary's timeline, and the position at which the new primary left it."""
        path = max((self.primary.data / "pg_wal").glob("*.history"))
        line = [line for line in path.read_text(encoding="ascii").splitlines() if line.strip()][-1]
        number, position = line.split()[:2]
        return number, position

    def records(self):
        """Returns the sealed record of each account."""
        rows = {account: self.primary.sql("SELECT encode(record, 'hex') FROM tessera.session", account)
                for account in self.accounts}
        return {account: bytes.fromhex(row[0][0]) if row else None for account, row in rows.items()}


class Helper:
    """A server of the script that is controlled through its standard input."""

    def __init__(self, host, script, *arguments):
        self.process = subprocess.Popen(
            host.command(*script, *arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{script} did not start")
        self.lock = threading.Lock()

    def send(self, **command):
        with self.lock:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
