// The tab of topologies: a broker's configuration, a message that is published, and its path in the picture.
import { TOO_MUCH, askOr, coalesced, draw } from "./session.js";
import { byId, element, fillMenu, listFindings } from "./dom.js";
import { MessageEditor } from "./message.js";

const OUTCOMES = {
  delivered: ["true", "delivered"],
  alternate: ["true", "delivered by way of an alternate"],
  discarded: ["false", "discarded"],
  returned: ["false", "returned to its publisher"],
  rejected: ["false", "rejected"],
  "no-exchange": ["false", "there is no such exchange"],
  undecided: ["unknown", "undecided"],
};

/** The answers where a question was too much for the interpreter. */
const NO_TOPOLOGY = { dot: null, vhosts: [], findings: [TOO_MUCH] };
const NO_ROUTE = { problem: TOO_MUCH };

export class Topologies {
  #examples = [];
  #drawn;
  #read;

  constructor(changed) {
    this.changed = changed;
    this.message = new MessageEditor(byId("published"), "Headers and properties", () => this.#edited());
    this.run = coalesced((outdated) => this.#answer(outdated));
    for (const id of ["topology", "vhost", "exchange", "key"]) byId(id).addEventListener("input", () => this.#edited());
    byId("topology-example").addEventListener("change", () => this.#choose(this.#examples[byId("topology-example").value]));
  }

  async start(choices, state) {
    this.#examples = choices.topologies;
    this.message.headers = choices.headers;
    fillMenu(byId("topology-example"), [{ value: "", text: "–" }, ...this.#examples.map(({ title }, number) => ({ value: String(number), text: title }))]);
    await this.show(state);
  }

  async show(state) {
    if (state.topology === undefined) {
      byId("topology-example").value = "0";
      await this.#choose(this.#examples[0]);
      return;
    }
    byId("topology-example").value = "";
    byId("topology-note").textContent = "";
    byId("topology").value = state.topology;
    byId("key").value = state.key ?? "";
    this.#offer(state.vhost, state.exchange ?? "");
    await this.message.take(state.published ?? "{}");
    await this.#refresh();
  }

  state() {
    const state = { key: byId("key").value, exchange: byId("exchange").value };
    if (!byId("vhost-choice").hidden) state.vhost = byId("vhost").value;
    return [state, { topology: byId("topology").value, published: this.message.value }];
  }

  async #choose(example) {
    byId("topology-note").textContent = example?.note ?? "";
    if (example === undefined) return;
    byId("topology").value = example.topology;
    byId("vhost").replaceChildren();
    byId("key").value = example.routing_key;
    this.#offer(undefined, example.exchange);
    await this.message.take(example.message);
    await this.#refresh();
  }

  /** Put a choice into menus that are filled when the topology has been read. */
  #offer(vhost, exchange) {
    if (vhost !== undefined) fillMenu(byId("vhost"), [vhost], vhost);
    fillMenu(byId("exchange"), [{ value: exchange, text: exchange || "default exchange" }], exchange);
    this.#read = undefined;
  }

  /** Follow a change by the user; no example is chosen then, so that the same one can be chosen again. */
  #edited() {
    byId("topology-example").value = "";
    return this.#refresh();
  }

  #refresh() {
    this.changed();
    return this.run();
  }

  async #answer(outdated) {
    const text = byId("topology").value;
    const vhost = byId("vhost").value || null;
    const read = `${vhost}\n${text}`;
    if (read !== this.#read) {
      const topology = await askOr(NO_TOPOLOGY, "topology", { text, vhost });
      if (outdated()) return;
      this.#read = read;
      await this.#showTopology(topology);
    }
    if (outdated()) return;
    const published = {
      text, exchange: byId("exchange").value, routing_key: byId("key").value, message: this.message.value,
      vhost: byId("vhost").value || null,
    };
    this.#showRoute(await askOr(NO_ROUTE, "publish", published));
    document.documentElement.dataset.routes = Number(document.documentElement.dataset.routes ?? 0) + 1;
  }

  async #showTopology(topology) {
    listFindings(byId("topology-findings"), topology.findings);
    byId("vhost-choice").hidden = topology.vhosts.length < 2;
    if (topology.vhosts.length > 1) fillMenu(byId("vhost"), topology.vhosts);
    else byId("vhost").replaceChildren();
    this.#read = `${byId("vhost").value || null}\n${byId("topology").value}`;
    if (topology.dot === null) {
      this.#drawn = undefined;
      byId("picture").replaceChildren();
      byId("counts").textContent = byId("report").textContent = "";
      return;
    }
    const chosen = byId("exchange").value;
    const exchanges = topology.exchanges.map(({ name, title, type }) => ({ value: name, text: name === "" ? title : `${title} (${type})` }));
    fillMenu(byId("exchange"), exchanges, chosen);
    if (byId("exchange").value !== chosen) byId("exchange").value = exchanges.length > 1 ? exchanges[1].value : "";
    byId("counts").textContent = topology.counts + (topology.grouped ? "; alike ones are drawn as groups" : "");
    byId("report").textContent = topology.report;
    if (topology.dot !== this.#drawn) {
      const svg = await draw(topology.dot).catch(() => "<svg xmlns='http://www.w3.org/2000/svg'/>");
      this.#drawn = topology.dot;
      const picture = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
      // A picture that is wider than its place shrinks to four fifths, and is scrolled beyond that.
      picture.style.minWidth = `${Math.round(picture.width.baseVal.value * 0.8)}px`;
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", "Exchanges, queues and bindings; the path is told in words above and below");
      byId("picture").replaceChildren(document.importNode(picture, true));
    }
  }

  #showRoute(route) {
    this.message.explain(route.problem?.code.startsWith("message") || route.problem?.code.startsWith("type") ? route.problem : null);
    const [kind, headline] = route.problem === null ? OUTCOMES[route.outcome] ?? ["none", route.outcome] : ["none", "not published"];
    byId("route").dataset.verdict = kind;
    byId("outcome").textContent = headline;
    byId("queues").replaceChildren(...(route.problem === null ? named(route) : [route.problem.message]));
    byId("route-note").textContent = route.note ?? "";
    const groups = route.problem === null ? [["took it", route.took, "passed"], ["may take it", route.possible, "possible"], ["nearly took it", route.nearly, "idle"]] : [];
    byId("why").tBodies[0].replaceChildren(...groups.flatMap(([heading, { rows, more }, passed]) => [
      ...rows.map((row) => element("tr", { className: passed },
        element("th", { scope: "row" }, `${row.exchange} → ${row.target}`),
        element("td", {}, element("span", { className: `chip ${{ passed: "true", possible: "unknown", idle: "none" }[passed]}` }, heading)),
        element("td", {}, row.text))),
      more > 0 ? element("tr", {}, element("td", { colSpan: 3 }, `and ${more} more`)) : null,
    ]).filter(Boolean), ...(route.others ? [element("tr", {}, element("td", { colSpan: 3 }, `${route.others} other ${route.others === 1 ? "binding is" : "bindings are"} further off`))] : []));
    this.#light(route);
  }

  #light({ nodes = [], arrows = [], possible_nodes = [], possible_arrows = [] }) {
    const svg = byId("picture").querySelector("svg");
    if (svg === null) return;
    const key = (source, target, alternate) => `${source}->${target}${alternate ? " alternate" : ""}`;
    const passed = new Set([...nodes, ...arrows.map((arrow) => key(...arrow))]);
    const possible = new Set([...possible_nodes, ...possible_arrows.map((arrow) => key(...arrow))]);
    for (const part of svg.querySelectorAll(".node, .edge")) {
      const dashed = part.querySelector("path[stroke-dasharray]") !== null;
      const name = part.querySelector("title").textContent + (dashed ? " alternate" : "");
      part.classList.toggle("passed", passed.has(name));
      part.classList.toggle("possible", possible.has(name) && !passed.has(name));
    }
    svg.classList.toggle("lit", passed.size > 0);
    svg.querySelector(".passed")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function named({ queues, possible_queues }) {
  const list = (names) => names.slice(0, 12).flatMap((name, number) => [number > 0 ? ", " : "", element("code", {}, name)]);
  const more = (names) => (names.length > 12 ? ` and ${names.length - 12} more` : "");
  const parts = [];
  if (queues.length > 0) parts.push("to ", ...list(queues), more(queues));
  if (possible_queues.length > 0) parts.push(queues.length > 0 ? ", and perhaps to " : "perhaps to ", ...list(possible_queues), more(possible_queues));
  return parts.length > 0 ? parts : ["It reaches no queue."];
}
