// Write the memory of a Python interpreter that has imported the core and answered one request of each kind.
//
//   node snapshot.mjs PYODIDE ARCHIVE REQUESTS OUTPUT
//
// ARCHIVE is a zip of the modules. They are compiled first, in an interpreter of their own, so that the memory that is
// written has never held the compiler's trees.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

// Node would show a line of Pyodide's source, which is a million characters long.
process.on("uncaughtException", (error) => {
  console.error(error.message);
  process.exit(1);
});

const [pyodide, archive, requests, output] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const options = { indexURL: `${pyodide}/`, env: { HOME: "/home/pyodide" } };

const compiler = await loadPyodide(options);
compiler.FS.writeFile("/modules.zip", readFileSync(archive));
compiler.runPython(`
import importlib._bootstrap_external as external
import zipfile

with zipfile.ZipFile("/modules.zip") as sources, zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED) as target:
    for name in sources.namelist():
        if name.endswith(".py"):
            code = compile(sources.read(name), f"/compiled.zip/{name}", "exec")
            target.writestr(f"{name}c", external._code_to_hash_pyc(code, b"\\0" * 8, False))
`);

const interpreter = await loadPyodide({ ...options, _makeSnapshot: true });
interpreter.FS.writeFile("/compiled.zip", compiler.FS.readFile("/compiled.zip"));
interpreter.FS.writeFile("/requests.json", readFileSync(requests));
const answers = interpreter.runPython(`
import sys

sys.path.insert(0, "/compiled.zip")


def prepare():
    import gc
    import importlib
    import json
    import zipfile

    names = [name.removesuffix(".pyc").removesuffix("/__init__") for name in zipfile.ZipFile("/compiled.zip").namelist()]
    for name in sorted(name.replace("/", ".") for name in names):
        # Commands and tests are not part of the page, nor is what needs packages of the extras.
        if name.startswith(("transpiler.__main__", "transpiler.cli", "transpiler.pytest_plugin", "transpiler.testing")):
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in ("yaml", "hypothesis"):
                raise
    from playground.session import handle

    with open("/requests.json", encoding="utf-8") as file:
        answers = [json.loads(handle(json.dumps(request))) for request in json.load(file)]
    gc.collect()
    gc.freeze()
    return handle, len(answers)


handle, answered = prepare()
answered
`);
const snapshot = interpreter.makeMemorySnapshot();
writeFileSync(output, gzipSync(snapshot, { level: 9 }));
console.log(JSON.stringify({ answers, bytes: snapshot.length }));
