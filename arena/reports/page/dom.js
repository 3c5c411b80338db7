"use strict";
// What pages are built of. Text is only ever set as text: names and faults may say anything.
const Dom = (() => {
  const SUITS = { c: ["♣", "clubs"], d: ["♦", "diamonds"], h: ["♥", "hearts"], s: ["♠", "spades"] };
  const RANKS = { A: "ace", T: "ten", J: "jack", Q: "queen", K: "king" };

  /** An element: `make("a", { href: "#x", class: "y" }, "text", other)`. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  const spoken = (name) => `${RANKS[name[0]] || name[0]} of ${SUITS[name[1]][1]}`;
  const written = (name) => `${name[0] === "T" ? "10" : name[0]}${SUITS[name[1]][0]}\uFE0E`;

  function face(name) {
    return [make("b", { "aria-hidden": "true" }, name[0] === "T" ? "10" : name[0]), make("i", { "aria-hidden": "true" }, `${SUITS[name[1]][0]}\uFE0E`)];
  }

  const colour = (name) => ("dh".includes(name[1]) ? " red" : "");

  /** A card, face up. */
  function card(name, kind = "") {
    return make("span", { class: `card${colour(name)} ${kind}`, role: "img", "aria-label": spoken(name), "data-card": name }, face(name));
  }

  /** A card that can be chosen. */
  function cardButton(name, kind, onclick) {
    const disabled = onclick === null;
    return make("button", { class: `card${colour(name)} ${kind}`, "aria-label": spoken(name), "data-card": name, type: "button", disabled,
      ...(disabled ? {} : { onclick }) }, face(name));
  }

  const back = (small = false) => make("span", { class: `card back${small ? " small" : ""}`, role: "img", "aria-label": "a card face down" });

  /** A table: headings, rows of cells; a cell is text, a node, or an array of both; `words` are the columns set left. */
  function table(headings, rows, words = [], caption = "") {
    const place = (at) => ({ class: words.includes(at) ? "words" : null });
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption || headings.join(", ") }, make("table", {},
      caption ? make("caption", {}, caption) : null,
      make("thead", {}, make("tr", {}, headings.map((text, at) => make("th", { scope: "col", ...place(at) }, text)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell, at) => make("td", place(at), cell)))))));
  }

  /** The first `size` rows of a long table, and a button for more. */
  function longTable(headings, rows, words, size = 200) {
    const shown = table(headings, rows.slice(0, size), words);
    if (rows.length <= size) return shown;
    let at = size;
    const more = make("button", { class: "tool", type: "button", onclick: () => {
      const added = table(headings, rows.slice(at, at + size), words);
      shown.querySelector("tbody").append(...added.querySelectorAll("tbody > tr"));
      at += size;
      more.textContent = `Show more of ${rows.length - at}`;
      more.hidden = at >= rows.length;
    } }, `Show more of ${rows.length - at}`);
    return make("div", {}, shown, more);
  }

  /** Make a table's headings sort it: once down, once up. */
  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, at) => {
      if (heading.querySelector("button")) return;
      const button = make("button", { type: "button" }, ...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, at, heading.getAttribute("aria-sort") === "descending" ? "ascending" : "descending"));
    });
  }

  function sortBy(table, at, order) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((one) => one.removeAttribute("aria-sort"));
    headings[at].setAttribute("aria-sort", order);
    const value = (row) => {
      const cell = row.cells[at];
      const number = parseFloat(cell.dataset.value ?? cell.textContent.replace("−", "-"));
      return Number.isNaN(number) ? cell.textContent.trim() : number;
    };
    const way = order === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      const [one, other] = [value(a), value(b)];
      if (typeof one === "number" && typeof other === "number") return way * (one - other);
      if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
      return -way * String(one).localeCompare(String(other));
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  }

  return { make, card, cardButton, back, table, longTable, sortable, sortBy, written };
})();
