"""``verify`` sees that a config says something else than when the study was run."""

import hashlib
import json
import os
import shutil
from pathlib import Path

from small_study import REPOSITORY

from fidelity_study.app.run import origin
from fidelity_study.app.run.verify import verify
from fidelity_study.provenance import VARIABLE


def finished(config: Path) -> Path:
    """Return the results of a study with this config, which ended just now."""
    origin.tell({"seed": 1}, [config], "results/town/config.yaml", 1)
    results = Path("results/town")
    results.mkdir(parents=True, exist_ok=True)
    (results / "findings.md").write_text("all is well")
    files = {"results/town/findings.md": hashlib.sha256(b"all is well").hexdigest()}
    told = {**json.loads(os.environ[VARIABLE]), "folder": "results/town", "files": files}
    (results / "provenance.json").write_text(json.dumps(told))
    return results


def test_verify_sees_a_changed_config_and_not_its_comments(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "null")
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "town.yaml"
    shutil.copy(REPOSITORY / "config" / "example.yaml", config)
    results = finished(config)
    text = config.read_text()
    assert verify(results)[1] == []
    config.write_text(f"# another comment\n{text}\n")
    assert verify(results)[1] == []
    config.write_text(text.replace("k: [40]", "k: [41]"))
    (fault,) = verify(results)[1]
    assert fault.startswith("town.yaml: says something else than when the study was run")
    config.unlink()
    assert verify(results)[1] == []
