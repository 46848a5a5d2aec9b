// The page: its tabs, its address, and the start.
import { ask, failed } from "./session.js";
import { byId } from "./dom.js";
import { Selectors } from "./selectors.js";
import { readState, writeState } from "./state.js";
import { Topologies } from "./topologies.js";

const TABS = ["selectors", "topologies"];
/** Milliseconds from the last change to the address's. */
const DELAY = 250;

const tabs = { selectors: new Selectors(changed), topologies: new Topologies(changed) };
const started = new Set();
/** The menus' entries; asking for them starts the interpreter. */
const choices = ask("choices");
let current = "selectors";
let timer;

function changed() {
  clearTimeout(timer);
  timer = setTimeout(remember, DELAY);
}

async function remember() {
  clearTimeout(timer);
  if (current === "selectors") await writeState(tabs.selectors.state());
  else {
    const [state, long] = tabs.topologies.state();
    await writeState({ tab: "topologies", ...state }, long);
  }
}

/** Show a tab. Its first time it is started with a state; a link's state is shown later as well. */
async function open(name, state) {
  current = name;
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute("aria-selected", tab === name);
    button.tabIndex = tab === name ? 0 : -1;
    byId(tab).hidden = tab !== name;
  }
  if (!started.has(name)) {
    started.add(name);
    await tabs[name].start(await choices, state ?? {});
  } else if (state !== undefined) await tabs[name].show(state);
  changed();
}

for (const [number, name] of TABS.entries()) {
  byId(`tab-${name}`).addEventListener("click", () => open(name));
  byId(`tab-${name}`).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const other = TABS[(number + step + TABS.length) % TABS.length];
    byId(`tab-${other}`).focus();
    open(other);
  });
}

async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Cannot copy";
  }
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

byId("link").addEventListener("click", async () => {
  await remember();
  await copy(location.href, byId("link"));
});
for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => copy(byId(button.dataset.copies).textContent, button));
}

addEventListener("hashchange", async () => {
  const state = await readState();
  await open(TABS.includes(state.tab) ? state.tab : "selectors", state);
});

function showFailure(text) {
  byId("status").className = "failure";
  byId("status").textContent = text;
  byId("status").hidden = false;
}

failed.then((error) => showFailure(location.protocol === "file:"
  ? "The page needs a server: run selector-sql playground."
  : `Python cannot start here: ${error}`));
// What the user types is answered; this is a fault of the page or of the core.
addEventListener("unhandledrejection", ({ reason }) => showFailure(`This should not happen. Reload the page to go on. ${reason}`));

const state = await readState();
await choices;
byId("status").hidden = true;
await open(TABS.includes(state.tab) ? state.tab : "selectors", state);
document.documentElement.dataset.ready = Math.round(performance.now());
