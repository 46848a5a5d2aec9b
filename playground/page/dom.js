// Elements, and offsets in texts.

export const byId = (id) => document.getElementById(id);

/** Make an element with properties and children; what is null or undefined is left out. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("aria-") || key === "role" || key === "list") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Fill a menu with entries: values, or objects with value and text. Keep the choice where it is there. */
export function fillMenu(menu, entries, chosen = menu.value) {
  const options = entries.map((entry) =>
    typeof entry === "string" ? new Option(entry, entry) : new Option(entry.text, entry.value));
  menu.replaceChildren(...options);
  if (options.some((option) => option.value === chosen)) menu.value = chosen;
}

/** Return a function from offsets in code points, which the core counts, to JavaScript's. */
export function offsets(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset;
  const starts = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  return (offset) => starts[offset] ?? text.length;
}

/** Return a text as nodes, with marks over ranges: {start, end, kind}. Where ranges overlap, marks have both kinds. */
export function marked(text, ranges) {
  const edges = [...new Set([0, text.length, ...ranges.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, number) => {
    const end = edges[number + 1];
    const kinds = ranges.filter((range) => range.start <= start && end <= range.end).map((range) => range.kind);
    const part = text.slice(start, end);
    return kinds.length === 0 ? part : element("mark", { className: kinds.join(" ") }, part);
  });
}

const SQL = /('(?:[^']|'')*')|\b(AND|OR|NOT|IN|IS|NULL|LIKE|RLIKE|CASE|WHEN|THEN|ELSE|END|CAST|AS|BETWEEN|ESCAPE|TRUE|FALSE)\b|\b(\d[\w.]*)\b/g;

/** Return a text of SQL, or a selector, as nodes: strings, keywords and numbers are told apart. */
export function highlighted(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(SQL)) {
    nodes.push(text.slice(end, match.index));
    const kind = match[1] ? "string" : match[2] ? "keyword" : "number";
    nodes.push(element("span", { className: kind }, match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

/** List findings below a field. A finding with a fix has a button, which calls ``use`` with the changed selector. */
export function listFindings(list, findings, use) {
  list.replaceChildren(...findings.map((finding) => {
    const place = finding.column === undefined ? "" : `${finding.line > 1 ? `line ${finding.line}, ` : ""}column ${finding.column}`;
    return element("li", { className: finding.severity },
      element("span", { className: "severity" }, finding.severity), " ",
      element("span", { className: "said" }, finding.message),
      finding.hint ? element("span", { className: "hint" }, finding.hint) : null,
      finding.fix && use ? fixButton(finding.fix, use) : null,
      element("span", { className: "code-name" }, [place, finding.code].filter(Boolean).join(" · ")));
  }));
}

function fixButton(fix, use) {
  const button = element("button", { type: "button", className: "fix" }, "Use ", element("code", {}, fix.label));
  button.addEventListener("click", () => use(fix.selector));
  return button;
}
