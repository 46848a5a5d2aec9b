// The tab of selectors: one selector, one message, and all that the core says about them.
import { TOO_MUCH, askOr, askSlowly, coalesced } from "./session.js";
import { byId, element, fillMenu, highlighted, listFindings, marked, offsets } from "./dom.js";
import { MessageEditor } from "./message.js";

const VERDICTS = new Map([[true, ["true", "matches"]], [false, ["false", "does not match"]], [null, ["unknown", "does not match: unknown"]]]);
const TRUTHS = new Map([[true, ["true", "TRUE"]], [false, ["false", "FALSE"]], [null, ["unknown", "unknown"]]]);

/** The answers where a question was too much for the interpreter. */
const NO_VERDICT = { findings: [TOO_MUCH], explanation: null, problem: null, names: [] };
const NO_TEXT = { sql: null, text: null, schema: "", findings: [TOO_MUCH] };

/** Milliseconds after which the page says why porting takes longer. */
const SLOW = 2000;

/** Milliseconds without a keystroke after which the selector is ported, which takes longer than all the rest. */
const IDLE = 400;

const MENUS = ["dialect", "layout", "result", "target"];
/** The target of the port until another one is chosen. */
const TARGET = "activemq";
const TEXTS = ["selector", "schema"];

export class Selectors {
  #examples = [];
  #timer;
  #typed = 0;
  #ports = 0;
  /** Whether the user has written the columns; otherwise they follow the selector and the message. */
  #ownColumns = false;

  constructor(changed) {
    this.changed = changed;
    this.message = new MessageEditor(byId("message"), "Message", () => this.#edited());
    this.run = coalesced((outdated) => this.#answer(outdated));
    byId("schema").addEventListener("input", () => {
      this.#ownColumns = byId("schema").value.trim() !== "";
    });
    for (const id of [...MENUS, ...TEXTS]) byId(id).addEventListener("input", () => this.#edited());
    byId("selector").addEventListener("scroll", () => {
      byId("marks").scrollTop = byId("selector").scrollTop;
    });
    byId("example").addEventListener("change", () => this.#choose(this.#examples[byId("example").value]));
    byId("use-port").addEventListener("click", () => {
      byId("dialect").value = byId("target").value;
      byId("example").value = "";
      this.#use(byId("ported").textContent);
    });
  }

  /** Fill the menus, and show a state; without one the first example. */
  async start(choices, state) {
    this.#examples = choices.selectors;
    this.message.headers = choices.headers;
    fillMenu(byId("dialect"), choices.dialects);
    fillMenu(byId("target"), choices.dialects, TARGET);
    fillMenu(byId("layout"), choices.layouts.map((value) => ({ value, text: value === "schema" ? "typed columns" : value })));
    const groups = Map.groupBy(this.#examples.keys(), (number) => this.#examples[number].group);
    byId("example").replaceChildren(new Option("–", ""), ...[...groups].map(([label, numbers]) =>
      element("optgroup", { label }, [...numbers].map((number) => new Option(this.#examples[number].title, number)))));
    await this.show(state);
  }

  async show(state) {
    if (state.selector === undefined) {
      byId("example").value = "0";
      await this.#choose(this.#examples[0]);
      return;
    }
    for (const id of [...MENUS, ...TEXTS]) if (state[id] !== undefined) byId(id).value = state[id];
    this.#ownColumns = state.schema !== undefined;
    for (const id of MENUS) if (byId(id).selectedIndex < 0) byId(id).selectedIndex = 0;
    byId("example").value = "";
    byId("note").textContent = "";
    await this.message.take(state.message ?? "{}");
    await this.#refresh();
  }

  /** What a link has to say: the menus that are not at their beginning, too. */
  state() {
    const chosen = MENUS.filter((id) => id === "dialect" || byId(id).selectedIndex > 0);
    const state = Object.fromEntries(chosen.map((id) => [id, byId(id).value]));
    if (this.#ownColumns) state.schema = byId("schema").value;
    return { selector: byId("selector").value, message: this.message.value, ...state };
  }

  async #choose(example) {
    byId("note").textContent = example?.note ?? "";
    if (example === undefined) return;
    byId("selector").value = example.selector;
    byId("dialect").value = example.dialect;
    byId("layout").value = example.layout;
    byId("result").selectedIndex = 0;
    byId("target").value = TARGET;
    this.#ownColumns = false;
    await this.message.take(example.message);
    await this.#refresh();
  }

  #use(selector) {
    const field = byId("selector");
    field.focus();
    field.select();
    // The browser's undo knows what is inserted as if it were typed, and no assignment.
    if (!document.execCommand("insertText", false, selector)) field.value = selector;
    this.#refresh();
  }

  /** Follow a change by the user; no example is chosen then, so that the same one can be chosen again. */
  #edited() {
    byId("example").value = "";
    return this.#refresh();
  }

  #refresh() {
    this.#typed = performance.now();
    // The marks of the text before are where the text is no more; its characters keep the field's height.
    byId("marks").textContent = `${byId("selector").value}\n`;
    byId("schema-field").hidden = byId("layout").value !== "schema";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#port(), IDLE);
    this.changed();
    return this.run();
  }

  async #answer(outdated) {
    const [selector, message] = [byId("selector").value, this.message.value];
    const dialect = byId("dialect").value;
    const typed = this.#typed;
    const judged = await askOr(NO_VERDICT, "judge", { selector, message, dialect });
    if (selector === byId("selector").value) {
      this.#showVerdict(selector, judged);
      performance.measure("verdict", { start: typed });
      document.documentElement.dataset.verdicts = Number(document.documentElement.dataset.verdicts ?? 0) + 1;
    }
    if (judged === NO_VERDICT) {
      showCode("sql", null);
      listFindings(byId("sql-findings"), []);
      this.#showDialects({ rows: [], note: "" }, dialect);
    }
    if (outdated() || judged === NO_VERDICT) return;
    const [layout, result] = [byId("layout").value, byId("result").value];
    const schema = this.#ownColumns ? byId("schema").value : "";
    const sql = await askOr(NO_TEXT, "sql", { selector, dialect, layout, result, schema, message });
    if (!this.#ownColumns) byId("schema").value = sql.schema;
    showCode("sql", sql.sql);
    const refused = judged.findings.some((finding) => finding.severity === "error");
    listFindings(byId("sql-findings"), refused ? [] : sql.findings);
    if (outdated()) return;
    this.#showDialects(await askOr({ rows: [], note: TOO_MUCH.message }, "dialects", { selector, message }), dialect);
  }

  async #port() {
    const [selector, source, target] = [byId("selector").value, byId("dialect").value, byId("target").value];
    const port = ++this.#ports;
    showCode("ported", null, "porting …");
    const slow = setTimeout(() => {
      if (port === this.#ports) showCode("ported", null, "still porting: many candidates are compared …");
    }, SLOW);
    byId("use-port").disabled = true;
    listFindings(byId("port-findings"), []);
    const { text, findings } = await askSlowly(NO_TEXT, "port", { selector, source, target });
    clearTimeout(slow);
    if (port !== this.#ports) return;
    showCode("ported", text);
    byId("use-port").disabled = text === null || target === source;
    // What the dialect refuses is said below the selector already.
    listFindings(byId("port-findings"), findings.filter(({ code }) => /^(port|playground)[.]/.test(code)));
  }

  #showVerdict(selector, { findings, explanation, problem, names }) {
    const at = offsets(selector);
    const ranges = findings.filter((finding) => finding.start !== undefined)
      .map(({ start, end, severity }) => ({ start: at(start), end: Math.max(at(end), at(start) + 1), kind: severity }));
    const [kind, headline] = explanation === null ? ["none", problem === null ? "no selector" : "no message"] : VERDICTS.get(explanation.verdict);
    if (explanation?.decisive) {
      ranges.push({ start: at(explanation.decisive.start), end: at(explanation.decisive.end), kind: `decisive ${kind}` });
    }
    const shown = ranges.some(({ end }) => end > selector.length) ? `${selector} ` : selector;
    byId("marks").replaceChildren(...marked(shown, ranges), "\n");
    const refused = findings.some((finding) => finding.severity === "error");
    byId("selector").setAttribute("aria-invalid", refused);
    listFindings(byId("findings"), findings, (changed) => this.#use(changed));
    byId("verdict").dataset.verdict = kind;
    byId("headline").textContent = refused ? "refused" : headline;
    byId("reason").textContent = explanation?.reason ?? (refused ? `The dialect refuses the selector: ${findings[0].message}.` : problem?.message ?? "");
    byId("thrown").textContent = explanation?.thrown ? `The broker throws here: ${explanation.thrown}; ${explanation.consequence ?? ""}` : "";
    this.message.explain(problem);
    this.message.offer(names);
    const parts = explanation?.parts ?? [];
    byId("parts-box").hidden = parts.length < 2;
    byId("parts").tBodies[0].replaceChildren(...parts.map(partRow));
  }

  #showDialects({ rows, note }, current) {
    const [standard] = rows;
    const same = (row) => (row.refused === null) === (standard.refused === null) && row.verdict === standard.verdict;
    const others = rows.filter((row) => !same(row)).map((row) => row.dialect);
    const notes = rows.map(notesOn);
    for (const [number, note] of notes.entries()) {
      if (number > 0 && note.length > 0 && note.join() === notes[0].join()) notes[number] = [`as ${standard.dialect}`];
    }
    byId("agreement").textContent = note ?? (others.length === 0 ? "they agree" : `${others.length} of ${rows.length} ${others.length === 1 ? "differs" : "differ"} from ${standard.dialect}`);
    byId("dialects").classList.toggle("agreed", notes.every((note) => note.length === 0));
    byId("dialects").tBodies[0].replaceChildren(...rows.map((row, number) => {
      const [kind, text] = row.refused ? ["none", "refused"] : row.judged ? TRUTHS.get(row.verdict) : ["none", "accepted"];
      const choose = element("button", { type: "button", className: "link", title: `Read the selector as ${row.dialect} does` }, row.dialect);
      choose.addEventListener("click", () => {
        byId("dialect").value = row.dialect;
        this.#edited();
      });
      return element("tr", { className: row.dialect === current ? "current" : "" },
        element("th", { scope: "row" }, choose),
        element("td", {}, element("span", { className: `chip ${kind}` }, text)),
        element("td", {}, notes[number].map((note) => element("div", {}, note))));
    }));
  }
}

/** Show a text of SQL or a selector with its button to copy; where there is none, another text without the button. */
function showCode(id, text, instead = "–") {
  byId(id).replaceChildren(...(text === null ? [instead] : highlighted(text)));
  document.querySelector(`[data-copies=${id}]`).hidden = text === null;
}

function notesOn(row) {
  return [
    row.refused?.message,
    row.thrown && `throws: ${row.thrown}; ${row.consequence ?? ""}`,
    row.reading && `reads: ${row.reading}`,
    !row.refused && row.rule && `rule: ${row.rule}`,
  ].filter(Boolean);
}

function partRow(part) {
  const row = element("tr", { className: part.decides ? "decides" : "" });
  const text = element("code", {}, part.text);
  text.style.setProperty("--depth", Math.min(part.depth, 8));
  const value = part.is_condition
    ? chip(part.verdict)
    : element("code", { className: "value" }, part.value === null || part.value === undefined ? "NULL" : shownValue(part));
  row.append(
    element("td", {}, text),
    element("td", {}, value, part.thrown ? element("span", { className: "hint" }, ` throws: ${part.thrown}`) : null,
      part.decides ? element("span", { className: "decides-mark" }, " decides") : null));
  return row;
}

function chip(verdict) {
  const [kind, text] = TRUTHS.get(verdict);
  return element("span", { className: `chip ${kind}` }, text);
}

function shownValue({ value }) {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : typeof value === "object" ? JSON.stringify(value) : String(value).toUpperCase();
}
