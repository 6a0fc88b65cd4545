// Copy buttons, wide tables that start at their newest column, and a word when live updates stop arriving.
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

function lost(yes) {
  const note = document.getElementById("lost");
  if (note) note.hidden = !yes;
}

document.addEventListener("htmx:error", () => lost(true));
document.addEventListener("htmx:after:request", (event) => lost(event.detail.ctx.response.status >= 400));
