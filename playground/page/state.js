// What the page shows, in the fragment of its address: a link shows the same to others, and no server sees it.

/** Return the state that the address has: texts by name. */
export async function readState() {
  const state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (state.zipped !== undefined) {
    try {
      Object.assign(state, JSON.parse(await inflate(state.zipped)));
    } catch {
      // A link that somebody cut off still shows what is readable of it.
    }
    delete state.zipped;
  }
  return state;
}

/** Write a state into the address; what is in ``long`` is compressed. */
export async function writeState(state, long = {}) {
  const pairs = new URLSearchParams(state);
  if (Object.keys(long).length > 0) pairs.set("zipped", await deflate(JSON.stringify(long)));
  history.replaceState(null, "", `#${pairs}`);
}

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function deflate(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let characters = "";
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}
