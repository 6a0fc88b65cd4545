// Faults of layout that a person would see: text cut off, text over text, a page wider than its window.
() => {
  for (const box of document.querySelectorAll(".wide, .log, .report pre")) { box.scrollLeft = 0; box.scrollTop = 0; }
  const shown = (element) => {
    if (element.closest(".vh, .sprite, .skip, [hidden], progress, title, desc, select")) return false;
    for (let closed = element.closest("details:not([open])"); closed; closed = closed.parentElement.closest("details:not([open])")) {
      if (!closed.querySelector(":scope > summary").contains(element)) return false;
    }
    const head = element.closest(".cards > thead");
    if (head && getComputedStyle(head).position === "absolute") return false;
    const sized = element.closest(".broad, .narrow");
    if (sized && getComputedStyle(sized).display === "none") return false;
    const style = getComputedStyle(element);
    return style.visibility !== "hidden" && style.display !== "none";
  };
  const clips = (style) => ["hidden", "clip"].includes(style.overflowX) || ["hidden", "clip"].includes(style.overflowY);
  const name = (text) => JSON.stringify(text.trim().slice(0, 40));
  const faults = [];
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.data.trim() || !shown(node.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    if (!rects.length) faults.push(`no room for ${name(node.data)}`);
    const slanted = /rotate\((?!-?0[ )])/.test(node.parentElement.getAttribute("transform") || "");
    const scroller = node.parentElement.closest(".log, .report pre");
    for (const rect of rects) pieces.push({ node, rect, scroller, slanted });
    for (let up = node.parentElement; up; up = up.parentElement) {
      if (!clips(getComputedStyle(up))) continue;
      const frame = up.getBoundingClientRect();
      const outside = rects.some((r) => r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1);
      if (outside) faults.push(`cut off: ${name(node.data)}`);
    }
    const square = node.parentElement.closest(".sq, .word, .flag, button, th, td");
    if (square && rects.some((r) => r.right > square.getBoundingClientRect().right + 1)) faults.push(`leaves its box: ${name(node.data)}`);
  }
  pieces.sort((a, b) => a.rect.top - b.rect.top);
  pieces.forEach((one, i) => {
    for (let j = i + 1; j < pieces.length && pieces[j].rect.top < one.rect.bottom - 3; j++) {
      const two = pieces[j];
      // Slanted axis labels have boxes that meet where their letters do not.
      if (two.node === one.node || one.scroller || two.scroller || (one.slanted && two.slanted)) continue;
      const wide = Math.min(one.rect.right, two.rect.right) - Math.max(one.rect.left, two.rect.left);
      const high = Math.min(one.rect.bottom, two.rect.bottom) - Math.max(one.rect.top, two.rect.top);
      if (wide > 2 && high > 3) faults.push(`${name(one.node.data)} overlaps ${name(two.node.data)}`);
    }
  });
  const excess = document.documentElement.scrollWidth - window.innerWidth;
  if (excess > 0) {
    const wide = [...document.querySelectorAll("main *")].filter((e) => !e.closest(".wide *") && !e.closest(".vh") && e.getBoundingClientRect().right > window.innerWidth + 1);
    faults.push(`page is ${excess} px too wide: ${wide.slice(0, 3).map((e) => `${e.tagName}.${e.className}`)}`);
  }
  return [...new Set(faults)];
}
