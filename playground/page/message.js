// A message as a form or as JSON. The text of the JSON is the value; the form is made from it and writes it.
import { askOr } from "./session.js";
import { byId, element } from "./dom.js";

const KINDS = { text: "text", integer: "integer", decimal: "decimal", boolean: "true or false", null: "null", json: "JSON" };

/** Return the JSON text of a value of the form; what does not read is written as it is, and the core says so. */
function written({ kind, text }) {
  switch (kind) {
    case "text": return JSON.stringify(text);
    case "boolean": return text === "true" ? "true" : "false";
    case "null": return "null";
    case "decimal": return /^[+-]?\d+$/.test(text.trim()) ? `${text.trim()}.0` : text.trim() || '""';
    default: return text.trim() || '""';
  }
}

export class MessageEditor {
  #rows = [];
  #names = [];
  #headers = [];

  /** Build the editor in an element; ``changed`` is called after each change by the user. */
  constructor(root, title, changed) {
    this.changed = changed;
    const id = root.id;
    const choice = (value, text) => element("label", {},
      element("input", { type: "radio", name: `${id}-form`, value, checked: value === "form" }), element("span", {}, text));
    this.modes = element("span", { className: "segmented", role: "radiogroup", "aria-label": `${title}: form or JSON` },
      choice("form", "Form"), choice("json", "JSON"));
    this.form = element("div", { className: "rows" });
    this.missing = element("p", { className: "missing" });
    this.text = element("textarea", {
      id: `${id}-text`, className: "code", rows: 6, spellcheck: false, autocapitalize: "off", autocomplete: "off", hidden: true,
    });
    this.text.setAttribute("aria-label", `${title} as JSON`);
    this.problem = element("ul", { className: "findings" });
    this.list = element("datalist", { id: `${id}-names` });
    root.append(
      element("div", { className: "heading" }, element("h2", {}, title), this.modes),
      this.form, this.missing, this.text, this.problem, this.list);
    this.modes.addEventListener("change", () => this.#show());
    this.text.addEventListener("input", () => this.changed());
    this.#offer();
  }

  /** Offer the names of header fields. */
  set headers(names) {
    this.#headers = names;
    this.#offer();
  }

  get value() {
    return this.text.value;
  }

  get mode() {
    return this.modes.querySelector(":checked").value;
  }

  /** Take a text for the message, as of an example; the form shows it where it can. */
  async take(text) {
    this.text.value = text;
    await this.#show();
  }

  /** Show what is wrong with the message, or nothing. */
  explain(problem) {
    this.problem.replaceChildren(...(problem === null ? [] : [element("li", { className: "error" },
      element("span", { className: "severity" }, "error"), " ", element("span", { className: "said" }, problem.message),
      problem.hint ? element("span", { className: "hint" }, problem.hint) : null)]));
  }

  /** Offer names that the selector has, and buttons for those that the message lacks. */
  offer(names) {
    this.#names = names;
    this.#offer();
  }

  async #show() {
    const { rows } = await askOr({ rows: null }, "message", { text: this.value });
    const json = this.modes.querySelector("[value=json]");
    this.modes.querySelector("[value=form]").disabled = rows === null;
    if (rows === null) json.checked = true;
    this.form.hidden = this.missing.hidden = json.checked;
    this.text.hidden = !json.checked;
    if (rows !== null) {
      this.#rows = rows;
      this.form.replaceChildren(...rows.map((row) => this.#row(row)), this.#adder());
    }
    this.#offer();
  }

  #adder() {
    const button = element("button", { type: "button", className: "add" }, "Add a property");
    button.addEventListener("click", () => this.#add(""));
    return button;
  }

  #add(name) {
    const row = { name, kind: "text", text: "" };
    this.#rows.push(row);
    const line = this.#row(row);
    this.form.lastElementChild.before(line);
    this.#write();
    line.querySelector(name === "" ? ".name" : ".value").focus();
  }

  #row(row) {
    const name = element("input", { className: "name code", value: row.name, spellcheck: false, autocapitalize: "off", autocomplete: "off", list: this.list.id, "aria-label": "Name" });
    const kind = element("select", { className: "kind", "aria-label": "Type", autocomplete: "off" },
      Object.entries(KINDS).map(([value, text]) => new Option(text, value, false, value === row.kind)));
    const remove = element("button", { type: "button", className: "remove", "aria-label": `Remove ${row.name || "this property"}` }, "×");
    let value = this.#field(row);
    const line = element("div", { className: "property" }, name, kind, value, remove);
    name.addEventListener("input", () => {
      row.name = name.value;
      remove.setAttribute("aria-label", `Remove ${row.name || "this property"}`);
      this.#write();
    });
    kind.addEventListener("change", () => {
      row.kind = kind.value;
      const field = this.#field(row);
      value.replaceWith(field);
      value = field;
      this.#write();
    });
    remove.addEventListener("click", () => {
      this.#rows = this.#rows.filter((other) => other !== row);
      const next = line.nextElementSibling;
      line.remove();
      (next.querySelector?.(".name") ?? next).focus();
      this.#write();
    });
    return line;
  }

  #field(row) {
    const label = { className: "value code", "aria-label": `Value of ${row.name || "the property"}` };
    if (row.kind === "boolean") {
      row.text = row.text === "true" ? "true" : "false";
      const menu = element("select", { ...label, autocomplete: "off" }, new Option("true", "true"), new Option("false", "false"));
      menu.value = row.text;
      menu.addEventListener("change", () => {
        row.text = menu.value;
        this.#write();
      });
      return menu;
    }
    const field = element("input", { ...label, value: row.kind === "null" ? "" : row.text, disabled: row.kind === "null", spellcheck: false, autocapitalize: "off", autocomplete: "off" });
    if (row.kind === "integer" || row.kind === "decimal") field.inputMode = "decimal";
    field.addEventListener("input", () => {
      row.text = field.value;
      this.#write();
    });
    return field;
  }

  #write() {
    const lines = this.#rows.filter((row) => row.name !== "").map((row) => `  ${JSON.stringify(row.name)}: ${written(row)}`);
    this.text.value = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
    this.#offer();
    this.changed();
  }

  #offer() {
    const own = new Set(this.#rows.map((row) => row.name));
    const lacking = this.#names.filter((name) => !own.has(name));
    const known = [...new Set([...lacking, ...this.#headers])].filter((name) => !own.has(name)).sort();
    this.list.replaceChildren(...known.map((name) => element("option", { value: name })));
    this.missing.replaceChildren(...(lacking.length === 0 ? [] : ["The message lacks ", ...lacking.slice(0, 12).map((name) => {
      const button = element("button", { type: "button", className: "add", "aria-label": `Add ${name}` }, name);
      button.addEventListener("click", () => this.#add(name));
      return button;
    })]));
  }
}
