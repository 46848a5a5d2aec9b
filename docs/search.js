// The search reads a hyphen before a word as "without this word". Two hyphens are the beginning of an option, --baseline.
const query = document.querySelector("[data-md-component=search-query]");
if (query !== null) {
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  Object.defineProperty(query, "value", {
    get() { return get.call(this).replace(/(^|\s)--+(?=\w)/g, "$1"); },
    set(text) { set.call(this, text); },
  });
}
