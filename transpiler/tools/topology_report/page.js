"use strict";
const picture = document.getElementById("picture");
const svg = picture.querySelector("svg");
const whole = svg.viewBox.baseVal;
const home = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
let view = { ...home };

function show() {
  svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
}

/* The size of one pixel of the screen in the picture's units, whichever side leaves room. */
function unit() {
  return Math.max(view.width / picture.clientWidth, view.height / picture.clientHeight);
}

function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
  const size = Math.min(Math.max(view.width * factor, home.width / 200), home.width * 2);
  const by = size / view.width;
  view = { x: x - (x - view.x) * by, y: y - (y - view.y) * by, width: size, height: view.height * by };
  show();
}

function move(right, down) {
  view.x += right * unit();
  view.y += down * unit();
  show();
}

function reset() {
  view = { ...home };
  show();
}

function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [point.x, point.y];
}

picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...at(event));
}, { passive: false });

picture.addEventListener("pointerdown", (event) => {
  picture.setPointerCapture(event.pointerId);
});
picture.addEventListener("pointermove", (event) => {
  if (event.buttons) move(-event.movementX, -event.movementY);
});

const keys = {
  "+": () => zoom(1 / 1.3), "=": () => zoom(1 / 1.3), "-": () => zoom(1.3), "0": reset,
  ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60),
};
picture.addEventListener("keydown", (event) => {
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});
document.getElementById("closer").addEventListener("click", () => zoom(1 / 1.3));
document.getElementById("wider").addEventListener("click", () => zoom(1.3));
document.getElementById("whole").addEventListener("click", reset);

const nodes = new Map();
for (const node of svg.querySelectorAll(".node")) nodes.set(node.querySelector("title").textContent, node);

document.getElementById("search").addEventListener("input", (event) => {
  const text = event.target.value.trim().toLowerCase();
  picture.classList.toggle("searching", text !== "");
  let names = 0;
  let first = null;
  for (const [id, node] of nodes) {
    const matching = text === "" ? 0 : NAMES[id].filter((name) => name.toLowerCase().includes(text)).length;
    names += matching;
    node.classList.toggle("match", matching > 0);
    if (matching > 0 && first === null) first = node;
  }
  document.getElementById("matches").textContent = text === "" ? "" : `${names} of them`;
  if (first !== null) {
    const box = first.getBBox();
    const centre = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
      .matrixTransform(first.getCTM()).matrixTransform(svg.getCTM().inverse());
    view = { ...view, x: centre.x - view.width / 2, y: centre.y - view.height / 2 };
    show();
  }
});
