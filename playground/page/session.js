// Questions to the two workers, as promises.

class Channel {
  #script;
  #worker;
  #waiting = new Map();
  #count = 0;
  #fail;

  constructor(script) {
    this.#script = new URL(script, import.meta.url).href;
    /** Resolves with an error's text if the worker cannot start. */
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#start();
  }

  #start() {
    // A worker of a blob has the page's Content-Security-Policy; one of a file would have its own, which is none.
    const source = new Blob([`import ${JSON.stringify(this.#script)};`], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(source), { type: "module" });
    worker.addEventListener("error", (event) => this.#fail(event.message || "a script cannot be loaded"));
    worker.addEventListener("message", ({ data }) => {
      if (worker !== this.#worker) return;
      if (data.id === undefined) {
        if (data.error) this.#fail(data.error);
        return;
      }
      if (data.answer === undefined) {
        this.#restart(data.error);
        return;
      }
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      waiting.resolve(data.answer);
    });
    this.#worker = worker;
  }

  /** An interpreter whose stack has overflowed answers nothing more: begin with a new one. */
  #restart(error) {
    this.#worker.terminate();
    this.#start();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new TooMuch(error));
  }

  /** End the questions that are not answered yet: nobody needs their answers any more. */
  abandon() {
    if (this.#waiting.size > 0) this.#restart("abandoned");
  }

  ask(request) {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }
}

/** A question was too much for the interpreter, as one that is nested thousands of levels deep. */
export class TooMuch extends Error {}

/** What to say of such a question, as a finding. */
export const TOO_MUCH = {
  severity: "error",
  code: "playground.too-much",
  message: "this is too much for Python in a browser",
  hint: "selector-sql has more room: see selector-sql explain and selector-sql route",
};

/** Ask a second interpreter, which may take its time: the question before is abandoned. */
export async function askSlowly(instead, question, parameters) {
  slow ??= new Channel("worker.js");
  slow.abandon();
  try {
    return JSON.parse(await slow.ask(JSON.stringify({ ask: question, ...parameters })));
  } catch (error) {
    if (error instanceof TooMuch) return instead;
    throw error;
  }
}

/** Ask the core; where that is too much for it, the answer is another one. */
export async function askOr(instead, question, parameters) {
  try {
    return await ask(question, parameters);
  } catch (error) {
    if (error instanceof TooMuch) return instead;
    throw error;
  }
}

const core = new Channel("worker.js");
let drawing;
let slow;

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
