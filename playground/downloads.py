"""Third-party packages that the page ships, pinned by version and hash, and fetched with npm and pip."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path


class BuildError(Exception):
    """Error for a page that cannot be built. Its text states the reason and what to do."""


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """An npm package. ``files`` are the files that the page ships, by their paths in the package."""

    name: str
    version: str
    #: The SHA-512 of the archive in base64, in the form that npm uses.
    integrity: str
    files: tuple[str, ...]


PYODIDE = NpmPackage(
    "pyodide",
    "314.0.7",
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
    ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"),
)
VIZ = NpmPackage(
    "@viz-js/viz",
    "3.31.0",
    "sha512-r7zlQdRvcwvIpjHGgs+KNWHeE/P5/Dq7k8ZAKaMCbZqomxCBJV78gVuQYaHzFVca+kB0mX0fMW9UFevCOBG50A==",
    ("dist/viz.js",),
)
#: axe-core, with which a test searches the page for accessibility problems. It is not shipped.
AXE = NpmPackage(
    "axe-core",
    "4.14.1",
    "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
    ("axe.min.js",),
)
#: Mermaid, with which a test parses and draws the descriptions of topologies. It is not shipped.
MERMAID = NpmPackage(
    "mermaid",
    "12.3.0",
    "sha512-4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw==",
    ("dist/mermaid.min.js",),
)

SLY = "sly==0.5 --hash=sha256:20485483259eec7f6ba85ff4d2e96a4e50c6621902667fc2695cc8bc2a3e5133"


#: Maximum length of the end of a failed program's output that an error quotes, in characters.
_MAX_OUTPUT = 2_000


def fetch_npm(package: NpmPackage, folder: Path) -> Path:
    """Fetch an npm package, check its hash, unpack it below ``folder``, and return the unpacked folder."""
    target = folder / package.name.replace("/", "-")
    run([program("npm"), "pack", "--silent", f"{package.name}@{package.version}"], folder, f"fetch {package.name}")
    archive = folder / f"{package.name.removeprefix('@').replace('/', '-')}-{package.version}.tgz"
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != package.integrity:
        raise BuildError(f"{package.name} {package.version}: its hash is {digest}, not {package.integrity}")
    with tarfile.open(archive) as opened:
        opened.extractall(target, filter="data")
    return target / "package"


def fetch_sly(folder: Path) -> Path:
    """Fetch SLY's wheel into ``folder``, check its hash, and return its path."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{SLY}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    run([*command, "--quiet", "--dest", str(folder), "--requirement", str(requirements)], folder, "fetch sly")
    return next(folder.glob("sly-*.whl"))


def program(name: str) -> str:
    """Return the path of the program ``name``; raise ``BuildError`` if it is not installed."""
    path = shutil.which(name)
    if path is None:
        raise BuildError(f"{name} is not installed: install Node.js 20 or later, which brings node and npm")
    return path


def run(command: list[str], folder: Path, purpose: str) -> None:
    """Run ``command`` in ``folder``; if it fails, raise ``BuildError`` with ``purpose`` and its output."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    if done.returncode != 0:
        written = (done.stderr or done.stdout).strip()[-_MAX_OUTPUT:]
        raise BuildError(f"cannot {purpose}: {Path(command[0]).name} ended with {done.returncode}\n{written}")
