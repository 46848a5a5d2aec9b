// Graphviz, in a thread of its own. Messages in: {id, request: text of a graph}; out: {id, answer: SVG} or {id, error}.
import { instance } from "./graphviz/viz.js";

const graphviz = instance();

addEventListener("message", async ({ data: { id, request } }) => {
  try {
    postMessage({ id, answer: (await graphviz).renderString(request, { format: "svg" }) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
});
