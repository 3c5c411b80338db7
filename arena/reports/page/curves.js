"use strict";
// The curves of a hand: its worth, with the marked errors as links, and the deadwood of both seats. A click leads to the turn.
const Curves = (() => {
  const COLOURS = ["var(--accent)", "var(--bad)"]; // of seats 0 and 1

  const signed = (value) => (value ? Numbers.signed(value, Number.isInteger(value) ? 0 : 1) : "0");

  function frame(place, turns, marginRight) {
    return { style: { fontSize: "12px" }, width: Dom.chartWidth(place), height: 170, marginLeft: 40, marginRight, marginBottom: 36, x: { label: "turn", domain: [0, turns] } };
  }

  /** Put a chart into `place`; a click on it calls `go` with the turn. Return a function that moves a line to the current turn. */
  function put(place, chart, label, go) {
    const svg = chart.tagName === "svg" ? chart : chart.querySelector(":scope > svg");
    const x = chart.scale("x");
    Dom.image(svg, label);
    svg.style.cursor = "pointer";
    svg.addEventListener("click", (event) => {
      const at = event.clientX - svg.getBoundingClientRect().left;
      go(Math.round(x.invert(at * svg.viewBox.baseVal.width / svg.getBoundingClientRect().width)));
    });
    const now = Dom.drawn("line", { class: "now", y1: 16, y2: 134 });
    svg.append(now);
    place.replaceChildren(chart);
    return (turn) => ["x1", "x2"].forEach((end) => now.setAttribute(end, x.apply(turn)));
  }

  const deadwood = (states, seat) => states.map((hand, turn) => ({ turn, deadwood: hand.laid[seat]?.left ?? hand.left[seat] }));

  function deadwoodChart(place, states, seats, shown, go) {
    const lines = shown.map((seat) => ({ seat, points: deadwood(states, seat) })).sort((one, other) => other.points.at(-1).deadwood - one.points.at(-1).deadwood);
    return put(place, Plot.plot({
      ...frame(place, states.length - 1, 90), y: { label: "deadwood", grid: true, nice: true, zero: true },
      marks: [Plot.ruleY([0], { strokeOpacity: 0.4 }), ...lines.flatMap(({ seat, points }, at) => [
        Plot.lineY(points, { x: "turn", y: "deadwood", stroke: COLOURS[seat], strokeWidth: 2, curve: "step-after", strokeDasharray: seat ? "6 3" : null }),
        Plot.text(points.slice(-1), { x: "turn", y: "deadwood", text: () => seats[seat], textAnchor: "start", dx: 6, dy: lines.length > 1 ? 14 * at - 7 : 0, lineWidth: 6.5, textOverflow: "ellipsis" })])],
    }), "deadwood over the turns; the board shows it at each turn", go);
  }

  /** The points of the curve: what the hand is worth to seat 0, from the first draw to the points scored. */
  function worth(found, last, net) {
    const points = found.flatMap((step) => (step.before === null ? [] : [{ turn: step.turn - 1, value: step.before }]).concat({ turn: step.turn, value: step.after }));
    return [...points, { turn: last, value: net }];
  }

  /** The value of a line at a turn between two points. */
  const between = (one, other, turn) => (other.turn > one.turn ? one.value + (other.value - one.value) * (turn - one.turn) / (other.turn - one.turn) : one.value);

  /** A curve of `points` for a player, with the swings of luck in `found` and links at `errors`, which have a `label`. */
  function worthChart(place, points, found, errors, last, name, go) {
    const swings = found.filter((step) => step.before !== null);
    const at = (turn) => between(points.findLast((point) => point.turn <= turn) ?? points[0], points.find((point) => point.turn >= turn) ?? points.at(-1), turn);
    const chart = Plot.plot({
      ...frame(place, last, 36), y: { label: `points for ${name}`, grid: true, nice: true, tickFormat: signed },
      marks: [
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.lineY(points, { x: "turn", y: "value", strokeWidth: 2 }),
        Plot.ruleX(swings, { x: "turn", y1: "before", y2: "after", strokeWidth: 5, strokeOpacity: 0.8, stroke: (step) => (step.after >= step.before ? COLOURS[0] : COLOURS[1]) }),
        Plot.text(points.slice(-1), { x: "turn", y: "value", text: (point) => signed(Math.round(point.value)), textAnchor: "start", dx: 6, fontWeight: "bold" }),
      ],
    });
    const mark = put(place, chart, `what the hand is worth to ${name}, turn by turn`, go);
    if (errors.length) addLinks(chart, errors, at, go);
    return mark;
  }

  /** Add a link for each error at its place on the curve: with links, a drawing is a group, no image. */
  function addLinks(svg, errors, at, go) {
    [...svg.children].forEach((part) => part.setAttribute("aria-hidden", "true"));
    svg.setAttribute("role", "group");
    const [x, y] = ["x", "y"].map((name) => svg.scale(name));
    let labelled = -Infinity; // x of the last price that was written: prices must not overlap
    for (const one of [...errors].sort((a, b) => a.turn - b.turn)) {
      const [left, top] = [x.apply(one.turn), y.apply(at(one.turn))];
      const fits = left - labelled >= 30;
      if (fits) labelled = left;
      svg.append(errorLink(one, left, Math.min(Math.max(top, 14), 112), fits, left > svg.viewBox.baseVal.width - 70, go));
    }
  }

  function errorLink(one, x, y, priced, atEnd, go) {
    const text = { x, "text-anchor": "middle" };
    const link = Dom.drawn("a", { class: `error ${one.mark}`, href: "#", "aria-label": one.label, "data-turn": one.turn },
      Dom.drawn("rect", { x: x - 12, y: y - 12, width: 24, height: priced ? 32 : 24 }), Dom.drawn("text", { ...text, y: y + 5, class: "shape" }, `${Moves.SHAPES[one.mark]}\uFE0E`));
    if (priced) link.append(Dom.drawn("text", { x: atEnd ? x + 6 : x, "text-anchor": atEnd ? "end" : "middle", y: y + 19 }, `−${one.price.toFixed(1)}`));
    link.addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); go(one.turn); });
    return link;
  }

  return { COLOURS, deadwoodChart, worth, worthChart };
})();
