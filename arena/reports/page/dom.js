"use strict";
// Elements, cards and tables for all pages. Names and faults are not trusted, so text is always set as text, never as HTML.
const Dom = (() => {
  const SUITS = { c: ["♣", "clubs"], d: ["♦", "diamonds"], h: ["♥", "hearts"], s: ["♠", "spades"] };
  const RANKS = { A: "ace", T: "ten", J: "jack", Q: "queen", K: "king" };

  /** Text with invisible and direction-changing characters shown as escapes, as arena/text.py does. */
  const visible = (text) => text.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, (one) => `\\u${one.codePointAt(0).toString(16).padStart(4, "0")}`);

  /** An element: `make("a", { href: "#x", class: "y" }, "text", other)`. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
    }
    const present = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
    element.append(...present.map((child) => (typeof child === "string" ? visible(child) : child)));
    return element;
  }

  /** Copy the command beside the button that was pressed; a listener for all, because pages replace what they show. */
  async function copy({ target }) {
    const place = target.closest?.("button") && target.closest(".to-copy");
    if (!place) return;
    const status = place.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(place.querySelector(".command").textContent);
      status.textContent = "Copied.";
    } catch { // the reader forbids it, or the page came without TLS
      status.textContent = "Select the command to copy it.";
    }
  }
  document.addEventListener("click", copy);
  document.documentElement.classList.add("scripted");

  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const label = (name) => `${RANKS[name[0]] || name[0]} of ${SUITS[name[1]][1]}`;
  const text = (name) => `${name[0] === "T" ? "10" : name[0]}${SUITS[name[1]][0]}\uFE0E`;

  function face(name) {
    return [make("b", { "aria-hidden": "true" }, name[0] === "T" ? "10" : name[0]), make("i", { "aria-hidden": "true" }, `${SUITS[name[1]][0]}\uFE0E`)];
  }

  const colour = (name) => ("dh".includes(name[1]) ? " red" : "");

  /** A sentence of arena/reports/describe.py with values in place of the names in braces. */
  const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/gu, (_, name) => values[name]);

  /** A card, face up. Its name is in notation: `7h`. */
  function card(name, kind = "") {
    return make("span", { class: `card${colour(name)} ${kind}`, role: "img", "aria-label": label(name), "data-card": name }, face(name));
  }

  /** A card that can be clicked; disabled if `onclick` is null. */
  function cardButton(name, kind, onclick) {
    const disabled = onclick === null;
    return make("button", { class: `card${colour(name)} ${kind}`, "aria-label": label(name), "data-card": name, type: "button", disabled,
      ...(disabled ? {} : { onclick }) }, face(name));
  }

  const back = (small = false) => make("span", { class: `card back${small ? " small" : ""}`, role: "img", "aria-label": "a face-down card" });

  /** A table of rows of cells (text, a node, or an array of both); `left` has the numbers of the columns aligned left. */
  function table(headings, rows, left = [], caption = "") {
    const alignment = (at) => (left.includes(at) ? "left" : null);
    const cell = (content, at) => (at === 0 ? make("th", { scope: "row", class: alignment(at) }, content)
      : make("td", { class: alignment(at), "data-label": headings[at] }, content));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption || headings.join(", ") }, make("table", { class: "stack" },
      caption ? make("caption", {}, caption) : null,
      make("thead", {}, make("tr", {}, headings.map((text, at) => make("th", { scope: "col", class: alignment(at) }, text)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell))))));
  }

  /** The first `size` rows of a table, and a button that shows the next ones. */
  function longTable(headings, rows, left, size = 200) {
    const shown = table(headings, rows.slice(0, size), left);
    if (rows.length <= size) return shown;
    let at = size;
    const more = make("button", { class: "tool", type: "button", onclick: () => {
      const added = table(headings, rows.slice(at, at + size), left);
      shown.querySelector("tbody").append(...added.querySelectorAll("tbody > tr"));
      at += size;
      more.textContent = `Show more (${rows.length - at} left)`;
      more.hidden = at >= rows.length;
    } }, `Show more (${rows.length - at} left)`);
    return make("div", {}, shown, more);
  }

  /** Let the headings of a table sort it: numbers first from the largest, texts from A, then the other way. */
  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, at) => {
      if (heading.querySelector("button")) return;
      const button = make("button", { type: "button" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", async () => {
        if (packedRows(table)) await showAllRows(table);
        sortBy(table, at, nextOrder(table, at));
      });
    });
  }

  /** The button under a table of which the page has packed the later rows; null: all are shown. */
  const packedRows = (table) => table.closest(".scroll")?.parentNode.querySelector(":scope > .scroll + .all-rows");

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  /** Put the packed rows, HTML in JSON that the server has escaped, below those of their table. */
  async function showAllRows(table) {
    const button = packedRows(table);
    button.disabled = true;
    const rows = JSON.parse(await unpacked(button.nextElementSibling.textContent));
    button.remove();
    table.dataset.all = "";
    table.tBodies[0].insertAdjacentHTML("beforeend", rows.join(""));
    const sorted = table.tHead.querySelector("th[aria-sort]");
    if (sorted) sortBy(table, sorted.cellIndex, sorted.getAttribute("aria-sort"));
  }

  document.addEventListener("click", (event) => {
    if (event.target.matches?.(".all-rows")) showAllRows(event.target.previousElementSibling.querySelector("table"));
  });

  const valueIn = (row, at) => {
    const cell = row.cells[at];
    const number = parseFloat(cell.dataset.value ?? cell.textContent.replace("−", "-").replaceAll(",", ""));
    return Number.isNaN(number) ? cell.textContent.trim() : number;
  };

  function nextOrder(table, at) {
    const before = table.tHead.rows[0].cells[at].getAttribute("aria-sort");
    if (before) return before === "ascending" ? "descending" : "ascending";
    return [...table.tBodies[0].rows].some((row) => typeof valueIn(row, at) === "number") ? "descending" : "ascending";
  }

  function sortBy(table, at, order) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((one) => one.removeAttribute("aria-sort"));
    headings[at].setAttribute("aria-sort", order);
    const direction = order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      const [one, other] = [valueIn(a, at), valueIn(b, at)];
      if (typeof one === "number" && typeof other === "number") return direction * (one - other);
      if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
      return direction * String(one).localeCompare(String(other));
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  }

  /** Mark the sides on which a scrolling element has hidden content, so that the style fades them. */
  function markEdges(scroller) {
    scroller.classList.toggle("more-left", scroller.scrollLeft > 2);
    scroller.classList.toggle("more-right", scroller.scrollLeft + scroller.clientWidth < scroller.scrollWidth - 2);
  }

  const markAll = () => document.querySelectorAll(".scroll").forEach(markEdges);
  document.addEventListener("scroll", (event) => event.target.classList?.contains("scroll") && markEdges(event.target), { capture: true, passive: true });
  addEventListener("resize", markAll);
  new MutationObserver(markAll).observe(document.body, { childList: true, subtree: true });
  markAll();

  /** An element of a drawing. */
  function drawn(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  /** The width of a chart in `place`, in pixels. */
  const chartWidth = (place) => Math.max(280, Math.min(place.clientWidth || 640, 1000));

  /** Make a drawing one image with a label; screen readers do not read the labels of its parts. */
  function image(svg, label) {
    for (const part of svg.querySelectorAll("[aria-label]")) {
      part.dataset.mark = part.getAttribute("aria-label");
      part.removeAttribute("aria-label");
    }
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
  }

  /** Links that lead to this page, from the outermost; the last is the page itself: text, or `[text]`. */
  function crumbs(links, here) {
    return make("nav", { class: "crumbs", "aria-label": "Where you are" }, make("ol", {},
      links.map((link) => make("li", {}, link)), make("li", { "aria-current": "page" }, here)));
  }

  return { make, crumbs, drawn, chartWidth, image, card, cardButton, back, table, longTable, packedRows, sortable, sortBy, text, capital, filled };
})();
