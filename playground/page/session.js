// Questions to the two workers, as promises.

class Channel {
  #worker;
  #waiting = new Map();
  #count = 0;

  constructor(script) {
    // A worker of a blob has the page's Content-Security-Policy; one of a file would have its own, which is none.
    const url = new URL(script, import.meta.url).href;
    const source = new Blob([`import ${JSON.stringify(url)};`], { type: "text/javascript" });
    this.#worker = new Worker(URL.createObjectURL(source), { type: "module" });
    this.failed = new Promise((resolve) => {
      this.#worker.addEventListener("error", (event) => resolve(event.message || "a script cannot be loaded"));
      this.#worker.addEventListener("message", ({ data }) => {
        if (data.id === undefined && data.error) resolve(data.error);
      });
    });
    this.#worker.addEventListener("message", ({ data }) => {
      const waiting = this.#waiting.get(data.id);
      if (waiting === undefined) return;
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting.resolve(data.answer);
      else waiting.reject(new Error(data.error));
    });
  }

  ask(request) {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }
}

const core = new Channel("worker.js");
let drawing;

/** Resolve with the text of the error, if the interpreter cannot start; else never. */
export const failed = core.failed;

/** Ask the core a question; the answer is an object. */
export async function ask(question, parameters = {}) {
  return JSON.parse(await core.ask(JSON.stringify({ ask: question, ...parameters })));
}

/** Lay out a graph in Graphviz's language; the answer is SVG. */
export function draw(dot) {
  drawing ??= new Channel("drawing.js");
  return drawing.ask(dot);
}

/**
 * Return a function that runs an asynchronous function again whenever it is called, one run at a time: calls during a
 * run make one more run. The function gets another one that tells whether it is outdated, to end early.
 */
export function coalesced(run) {
  let running = false;
  let again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        await run(() => again);
      }
    } finally {
      running = false;
    }
  };
}
