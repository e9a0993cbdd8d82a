"""Run the repositories of docs/examples as their CI would, beside the study of config/example.yaml.

The Action's steps that are scripts run in bash, with a new environment of Python; steps of other
people's actions, and those for a pull request, are named and not run. What pre-commit installs is
the last commit. Needs git, and .venv for PyYAML.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
MISSING = "is missing; name the folder of a finished study, such as results/example"


def run(*command: object, folder: Path, status: int = 0, **variables: str) -> str:
    """Run a command, and return what it prints; end where its status is another."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def filled(text: str, values: dict[str, str]) -> str:
    """Return a text with the values of GitHub's expressions."""
    return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: values[match[1]], text)


def run_action(folder: Path, path: str) -> None:
    """Run the steps of action.yml with the inputs of the example's workflow."""
    workflow = yaml.safe_load((folder / ".github/workflows/fidelity.yml").read_text("utf-8"))
    (inputs,) = (
        step["with"]
        for step in workflow["jobs"]["fidelity"]["steps"]
        if "fidelity-curves" in step["uses"]
    )
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    if unknown := set(inputs) - set(action["inputs"]):
        sys.exit(f"the action has no input {', '.join(unknown)}")
    values = {"github.action_path": str(ROOT)}
    values |= {
        f"inputs.{key}": inputs.get(key, one.get("default"))
        for key, one in action["inputs"].items()
    }
    output, summary = folder / "output", folder / "summary"
    files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    for step in action["runs"]["steps"]:
        name = step.get("name", step.get("uses"))
        if "run" not in step or "pull_request" in step.get("if", ""):
            print(f"action: {name}: not run here")
            continue
        variables = {key: filled(text, values) for key, text in step["env"].items()}
        output.write_text("")
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        run(*bash, folder=folder, PATH=path, **variables, **files)
        print(f"action: {name}: status 0")
        for line in output.read_text("utf-8").splitlines():
            key, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{key}"] = value


def main() -> None:
    """Run all three in one folder: the test fails before the Action's study, and then passes."""
    with TemporaryDirectory() as place:
        folder, environment = Path(place, "project"), Path(place, "env")
        shutil.copytree(ROOT / "config" / "example", folder / "config" / "example")
        shutil.copy(ROOT / "config" / "example.yaml", folder / "config")
        for example in EXAMPLES.iterdir():
            shutil.copytree(example, folder, dirs_exist_ok=True)
        run(sys.executable, "-m", "venv", environment, folder=folder)
        path = f"{environment / 'bin'}:{os.environ['PATH']}"
        python = environment / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", f"{ROOT}[study]", "pytest", folder=folder)

        pytest = [python, "-m", "pytest", "-p", "no:cacheprovider"]
        printed = run(*pytest, folder=folder, status=1)
        lines = [line for line in printed.splitlines() if line.startswith(str(folder))]
        if len(lines) != 1 or not lines[0].endswith(MISSING):
            sys.exit(f"pytest: a missing study is not told in one line:\n{printed}")
        print("pytest: without a study one line, status 1")
        run_action(folder, path)
        run(*pytest, folder=folder)
        print("pytest: with the study status 0")

        config = folder / ".pre-commit-config.yaml"
        text = config.read_text("utf-8").replace(
            "https://github.com/OWNER/fidelity-curves", str(ROOT)
        )
        commit = run("git", "rev-parse", "HEAD", folder=ROOT).strip()
        config.write_text(text.replace("v0.3.0", commit), "utf-8")
        run("git", "init", "--quiet", folder=folder)
        run("git", "add", config.name, folder=folder)
        run(python, "-m", "pip", "install", "--quiet", "pre-commit", folder=folder)
        hook = [python, "-m", "pre_commit", "run", "--all-files", "--verbose"]
        print(run(*hook, folder=folder, PRE_COMMIT_HOME=str(Path(place, "hooks"))))
        print("pre-commit: status 0")


if __name__ == "__main__":
    main()
