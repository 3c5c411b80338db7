"use strict";
// A square of colours for every two of many bots, in one canvas; the cell under the pointer is told in words below it.
const Matrix = (() => {
  const { make } = Dom;
  const SMALLEST = 2; // pixels of a cell
  const LARGEST = 14;
  const EDGE = 34; // pixels at the left and the top, for the places
  const ROOM = 18; // pixels at the right, for the last place
  const FOOT = 10; // pixels at the bottom, for the last place beside a row of few pixels
  const LEAST = 26; // pixels between two written places

  /** Draw `names.length` rows of cells; `cell(row, column)`: `{ colour, share, text, href }`, or null where there is nothing. */
  function draw(place, names, cell, what) {
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.floor((Dom.chartWidth(place) - EDGE - ROOM) / names.length)));
    const whole = EDGE + size * names.length;
    const canvas = make("canvas", { role: "img", "aria-label": `${what}; the page of a bot has its results against each opponent` });
    const said = make("p", { class: "note", role: "status" }, "Point at a cell, or touch it, to read it.");
    const sharp = devicePixelRatio || 1;
    Object.assign(canvas, { width: (whole + ROOM) * sharp, height: (whole + FOOT) * sharp });
    Object.assign(canvas.style, { width: `${whole + ROOM}px`, height: `${whole + FOOT}px`, cursor: "crosshair" });
    const paint = canvas.getContext("2d");
    const style = getComputedStyle(place);
    paint.scale(sharp, sharp);
    names.forEach((_, row) => names.forEach((__, column) => {
      const found = cell(row, column);
      if (!found) return;
      paint.globalAlpha = 0.12 + 0.88 * found.share;
      paint.fillStyle = style.getPropertyValue(`--${found.colour}`);
      paint.fillRect(EDGE + column * size, EDGE + row * size, size - (size > 4), size - (size > 4));
    }));
    paint.globalAlpha = 1;
    paint.fillStyle = style.color;
    paint.font = `12px ${style.fontFamily}`;
    const step = [1, 5, 10, 20, 50, 100].find((one) => one * size >= LEAST) || 100;
    for (let at = 0; at < names.length; at = at ? at + step : step - 1 || 1) {
      paint.textAlign = "right";
      paint.fillText(String(at + 1), EDGE - 5, EDGE + at * size + Math.max(size, 8));
      paint.textAlign = "left";
      paint.fillText(String(at + 1), EDGE + at * size, EDGE - 6);
    }
    const under = (event) => {
      const [column, row] = [event.offsetX, event.offsetY].map((at) => Math.floor((at - EDGE) / size));
      return names[row] && names[column] ? cell(row, column) : null;
    };
    canvas.addEventListener("pointermove", (event) => {
      const found = under(event);
      if (found) said.replaceChildren(found.text);
    });
    canvas.addEventListener("click", (event) => {
      const found = under(event);
      if (found?.href) said.replaceChildren(make("a", { href: found.href }, found.text));
    });
    place.replaceChildren(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": what }, canvas), said);
  }

  /** Draw the results of every two bots, and the chances of the places. */
  function matrices(tournament, to) {
    const [pairs, ranks] = [document.getElementById("pair-matrix"), document.getElementById("rank-matrix")];
    const { field, ranks: likely } = tournament; // both from the first place to the last
    if (ranks && likely) {
      const words = (row, at) => `${field[row]}: place ${at + 1} with ${likely[row][at] < 10 ? "less than 1" : Math.round(likely[row][at] / 10)} %`;
      draw(ranks, field, (row, at) => (likely[row][at] ? { colour: "accent", share: likely[row][at] / 1000, text: words(row, at) } : null), "who may take which place");
    }
    if (!pairs || !tournament.pairs) return;
    const met = new Map();
    for (const [one, other, ...sums] of tournament.pairs) {
      const [net, hands, won, lost] = sums;
      met.set(one * field.length + other, { net, hands, won, lost }).set(other * field.length + one, { net: -net, hands, won: lost, lost: won });
    }
    draw(pairs, field, (row, column) => {
      const sum = met.get(row * field.length + column);
      if (!sum) return null;
      const average = sum.net / (sum.hands || 1);
      const won = tournament.batches ? "" : `${sum.won}–${sum.lost}, `;
      return { colour: average < 0 ? "bad" : "good", share: Math.min(Math.abs(average) / 20, 1), href: to("pair", field[row], field[column]),
        text: `${field[row]} against ${field[column]}: ${won}${Numbers.signed(average, 1)} points a hand` };
    }, "points a hand of each bot against each other");
  }

  /** Draw the matrices of the page once a reader comes near. */
  function watch(tournament, to) {
    const near = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      matrices(tournament, to);
    });
    document.querySelectorAll(".matrix").forEach((one) => near.observe(one));
  }

  return { watch };
})();
