// The colour scheme that the reader has chosen on the site around this page, which Material keeps; else the system's.
const KEY = `${new URL("..", location).pathname}.__palette`;

function follow() {
  try {
    const { scheme } = JSON.parse(localStorage.getItem(KEY)).color;
    document.documentElement.style.colorScheme = scheme === "slate" ? "dark" : "light";
  } catch {
    // Nothing was chosen, or the browser keeps nothing for this page.
    document.documentElement.style.colorScheme = "";
  }
}

follow();
addEventListener("storage", follow);
