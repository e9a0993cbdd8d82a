"""A real Slurm on one machine: munge, slurmctld and emulated nodes, all in one folder.

Debian's packages slurmctld, slurmd, slurm-client and munge are enough: no accounting, cgroups or
systemd. Everything listens on the loopback interface. ``srun`` inside jobs finds the cluster by
``/etc/slurm/slurm.conf`` only, so that a link to ours stands there for as long as it runs.
"""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

COMMANDS = ["munged", "slurmctld", "slurmd", "srun", "scontrol", "setpriv"]
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")
PARTITION, OF_FAULTS = "main", "faulty"
NODES = {PARTITION: ("first", "second"), OF_FAULTS: ("fragile", "steady")}
# A job goes to the node of the lowest weight in its partition that has room.
WEIGHTS = {name: weight for names in NODES.values() for weight, name in enumerate(names, 1)}
CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
KillWait=2
OverTimeLimit=0
SlurmdTimeout=30
ReturnToService=2
EnforcePartLimits=ALL
MinJobAge=3600
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1
{nodes}
{partitions}
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port}"
    " CPUs=2 RealMemory=16000 Feature={name} Weight={weight} State=UNKNOWN"
)
NODES_OF = "PartitionName={name} Nodes={nodes} Default=NO MaxTime=INFINITE State=UP"


def why_not() -> str | None:
    """Return why no Slurm can be started here, or None."""
    missing = [name for name in COMMANDS if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)} (apt-get: slurmctld slurmd slurm-client munge)"
    if os.geteuid() != 0:
        return "only root can start a Slurm"
    if not SYSTEM_CONF.parent.is_dir():
        return f"there is no folder {SYSTEM_CONF.parent}"
    remove_link_of_killed_run()
    if os.path.lexists(SYSTEM_CONF):
        return f"{SYSTEM_CONF} is there: this machine has a Slurm, or another test runs one"
    try:
        address = socket.gethostbyname(host())
    except OSError as error:
        address = str(error)
    if not address.startswith("127."):
        return f"the address of {host()} is not on the loopback interface: {address}"
    return None


def remove_link_of_killed_run() -> None:
    """Remove the link of a test that could not: into a temporary folder, and nothing answers."""
    conf = SYSTEM_CONF.resolve()
    if not SYSTEM_CONF.is_symlink() or not conf.is_relative_to(tempfile.gettempdir()):
        return
    starting = conf.exists() and time.time() - conf.stat().st_mtime < 60
    if not starting and not answers():
        SYSTEM_CONF.unlink()


def answers() -> bool:
    """Say whether a slurmctld answers."""
    ping = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, timeout=60)
    return "is UP" in ping.stdout


def host() -> str:
    """Return this machine's short name."""
    return socket.gethostname().split(".")[0]


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback interface that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait(until: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until something is true."""
    last = time.monotonic() + seconds
    while not until():
        if time.monotonic() > last:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.1)


def call(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


@dataclass
class Slurm:
    """A Slurm in a folder; ``daemons`` are its running processes, by name."""

    folder: Path
    daemons: dict[str, subprocess.Popen] = field(default_factory=dict)

    @property
    def conf(self) -> Path:
        """The configuration of all."""
        return self.folder / "slurm.conf"

    def configure(self) -> None:
        """Write the key and the configuration."""
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(1024))
        (self.folder / "state").mkdir()
        port, *ports = free_ports(1 + len(WEIGHTS))
        nodes = [
            NODE.format(name=name, host=host(), port=own, weight=weight)
            for (name, weight), own in zip(WEIGHTS.items(), ports, strict=True)
        ]
        text = CONF.format(
            host=host(),
            port=port,
            folder=self.folder,
            nodes="\n".join(nodes),
            partitions="\n".join(
                NODES_OF.format(name=name, nodes=",".join(own)) for name, own in NODES.items()
            ),
        )
        self.conf.write_text(text, encoding="utf-8")

    def start(self) -> None:
        """Start all daemons, and wait until the nodes are idle."""
        munge = {name: self.folder / f"munge.{name}" for name in ("socket", "key", "pid", "log")}
        files = [f"--{name}{'' if name == 'socket' else '-file'}={munge[name]}" for name in munge]
        self.start_daemon("munged", "--foreground", "--force", *files)
        wait(munge["socket"].exists, 30, "munged")
        self.start_daemon("slurmctld", "-D", "-f", self.conf)
        for node in WEIGHTS:
            self.start_node(node)
        wait(answers, 60, f"slurmctld, see {self.folder}")
        wait(self.idle, 60, f"idle nodes, see {self.folder}")

    def start_node(self, node: str) -> None:
        """Start a node's daemon."""
        self.start_daemon("slurmd", "-D", "-N", node, "-f", self.conf, name=node)

    def start_daemon(self, *command: str | Path, name: str | None = None) -> None:
        """Start a daemon that ends if this process dies."""
        name = name or str(command[0])
        with (self.folder / f"{name}.log").open("a") as log:
            self.daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
            )

    def idle(self) -> bool:
        """Say whether all nodes are up, and nothing runs on them."""
        return set(call("sinfo", "--noheader", "--format=%T").split()) == {"idle"}

    def processes(self, node: str) -> list[psutil.Process]:
        """Return a node's daemon, and the steps of its jobs: their sockets are in its folder."""
        sockets = psutil.net_connections("unix")
        spool = f"{self.folder / node}/"
        steps = {each.pid for each in sockets if each.pid and each.laddr.startswith(spool)}
        found = []
        for pid in {self.daemons[node].pid, *steps}:
            with suppress(psutil.NoSuchProcess):
                step = psutil.Process(pid)
                found += [step, *step.children(recursive=True)]
        return found

    def lose(self, node: str) -> None:
        """Let a node vanish with everything that runs on it."""
        for process in self.processes(node):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.daemons[node].wait()

    def stop(self) -> None:
        """End all daemons and what is left of jobs."""
        for node in set(WEIGHTS) & set(self.daemons):
            self.lose(node)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@contextmanager
def running(folder: Path) -> Iterator[Slurm]:
    """Yield a running Slurm; all of it is gone in the end, whatever happens.

    :raises FileExistsError: Another one has come up since :func:`why_not` looked.
    """
    slurm = Slurm(folder)
    slurm.configure()
    SYSTEM_CONF.symlink_to(slurm.conf)
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.stop()
        SYSTEM_CONF.unlink()
