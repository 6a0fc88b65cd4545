// Copy buttons, wide tables that start at their newest column, the last visit, and a word when live updates stop arriving.
"use strict";

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  let done = false;
  try {
    await navigator.clipboard.writeText(source.textContent);
    done = true;
  } catch {
    // No clipboard API (plain http) or no permission: leave the text selected, ready for Ctrl-C.
    select(source);
    try {
      done = document.execCommand("copy");
    } catch {
      done = false;
    }
  }
  button.textContent = done ? "Copied" : "Selected: press Ctrl-C";
  window.setTimeout(() => { button.textContent = "Copy"; }, 2500);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) copy(button);
});

for (const box of document.querySelectorAll(".wide.newest-last")) box.scrollLeft = box.scrollWidth;

for (const log of document.querySelectorAll(".log.tail")) log.scrollTop = log.scrollHeight;

// The day of the last visit is kept in this browser alone; the link it makes is an ordinary address.
const visit = document.getElementById("visit");
if (visit) {
  const pause = 30 * 60;
  const now = Math.floor(Date.now() / 1000);
  try {
    const [before, last] = (localStorage.getItem("specmatrix.visits") || "0 0").split(" ").map(Number);
    const since = now - last > pause ? last : before;
    localStorage.setItem("specmatrix.visits", `${since} ${now}`);
    if (since > 0) {
      visit.querySelector("a").href = `/?since=${since}`;
      visit.querySelector("span").textContent = new Date(since * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
      visit.hidden = false;
    }
  } catch {
    // Storage is switched off: the date field does the same.
  }
}

function lost(yes) {
  const note = document.getElementById("lost");
  if (note) note.hidden = !yes;
}

document.addEventListener("htmx:error", () => lost(true));
document.addEventListener("htmx:after:request", (event) => lost(event.detail.ctx.response.status >= 400));
