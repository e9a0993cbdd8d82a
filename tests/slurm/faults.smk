"""Jobs that go wrong on a cluster. What they may take, and how often, is said in profiles/slurm.

Each notes what it was given, attempt by attempt, in tried/.
"""

import sys

note = "echo {resources.mem_mb} {resources.runtime} $SLURMD_NODENAME >> tried/{rule}; "


rule all:
    input:
        "memory",
        "time",
        "node",
        "always",


rule memory:
    """Take more than a first attempt may."""
    output:
        "memory",
    log:
        "logs/memory.log",
    resources:
        constraint="steady",
    params:
        python=sys.executable,
    shell:
        note + "{params.python} -c 'import time; held = b\"x\" * 1_200_000_000; time.sleep(5)' "
        "&& touch {output}"


rule time:
    """Take longer than a first attempt may."""
    output:
        "time",
    log:
        "logs/time.log",
    resources:
        constraint="steady",
        runtime=lambda wildcards, attempt: attempt,
    shell:
        note + "test {resources.runtime} -gt 1 || sleep 600; touch {output}"


rule node:
    """Wait for the node to be lost."""
    output:
        "node",
    log:
        "logs/node.log",
    shell:
        note + "test $SLURMD_NODENAME = steady || sleep 600; touch {output}"


rule always:
    """Fail whatever happens."""
    output:
        "always",
    log:
        "logs/always.log",
    resources:
        constraint="steady",
    shell:
        note + "echo this is why > {log}; exit 1"


rule lasting:
    """Wait for snakemake to be killed."""
    output:
        "lasting",
    log:
        "logs/lasting.log",
    shell:
        note + "test $(wc -l < tried/lasting) -gt 1 || sleep 600; touch {output}"
