// The interpreter, in a thread of its own: typing never waits for it.
//
// Messages in: {id, request}; out: {id, answer} or {id, error}, and once {ready: true} or {error}.
import createPyodideModule from "./pyodide/pyodide.asm.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = new URL("./", import.meta.url);

async function fetchSnapshot() {
  const response = await fetch(new URL("core/snapshot.bin.gz", here));
  if (!response.ok) throw new Error(`core/snapshot.bin.gz: ${response.status} ${response.statusText}`);
  // Some servers say Content-Encoding: gzip for the name's ending, and the browser has then decompressed it.
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const snapshot = fetchSnapshot();
// The rejection is reported where it is awaited.
snapshot.catch(() => {});

// The snapshot is larger than the memory that a new interpreter begins with.
async function createWithRoom(settings) {
  const [module, { length }] = await Promise.all([createPyodideModule(settings), snapshot]);
  module.growMemory(length);
  return module;
}

const handle = loadPyodide({
  indexURL: new URL("pyodide/", here).href,
  createPyodideModule: createWithRoom,
  _loadSnapshot: snapshot,
}).then((pyodide) => pyodide.globals.get("handle"));

handle.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ error: String(error) }),
);

addEventListener("message", async ({ data: { id, request } }) => {
  try {
    postMessage({ id, answer: (await handle)(request) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
});
