"use strict";
// The curves of a hand: deadwood of both, and what the hand is worth. A click leads to the turn.
const Curves = (() => {
  const { make } = Dom;
  const COLOURS = ["var(--accent)", "var(--bad)"]; // of seats 0 and 1

  const width = (place) => Math.max(280, Math.min(place.clientWidth || 640, 1000));

  const signed = (value) => `${value > 0 ? "+" : ""}${value}`;

  function frame(place, turns) {
    return { style: { fontSize: "12px" }, width: width(place), height: 170, marginLeft: 44, marginBottom: 36, x: { label: "turn", domain: [0, turns] } };
  }

  /** Put a chart into `place`; a click on it calls `go` with the turn. */
  function put(place, chart, label, go) {
    const svg = chart.tagName === "svg" ? chart : chart.querySelector(":scope > svg");
    const x = chart.scale("x");
    Dom.image(svg, label);
    svg.style.cursor = "pointer";
    svg.addEventListener("click", (event) => {
      const at = event.clientX - svg.getBoundingClientRect().left;
      go(Math.round(x.invert(at * svg.viewBox.baseVal.width / svg.getBoundingClientRect().width)));
    });
    const now = document.createElementNS("http://www.w3.org/2000/svg", "line");
    for (const [key, value] of Object.entries({ class: "now", y1: 16, y2: 134 })) now.setAttribute(key, value);
    svg.append(now);
    place.replaceChildren(chart);
    return (turn) => ["x1", "x2"].forEach((end) => now.setAttribute(end, x.apply(turn)));
  }

  function legend(seats, shown) {
    return make("p", { class: "note legend" }, shown.map((seat) => make("span", { class: `key seat${seat}` }, seats[seat])));
  }

  /** The least deadwood that ten of a seat's cards leave. */
  function deadwoodOf(hand, seat) {
    if (hand.laid[seat]) return hand.laid[seat].left;
    const cards = hand.cards[seat];
    return cards.length > 10 ? Luck.bestDiscard(cards)[1] : Gin.arrange(cards).deadwood;
  }

  const deadwood = (states, seat) => states.map((hand, turn) => ({ turn, deadwood: deadwoodOf(hand, seat) }));

  function deadwoodChart(place, states, shown, go) {
    return put(place, Plot.plot({
      ...frame(place, states.length - 1), y: { label: "deadwood", grid: true, nice: true, zero: true },
      marks: [Plot.ruleY([0], { strokeOpacity: 0.4 }), ...shown.map((seat) => Plot.lineY(deadwood(states, seat), { x: "turn", y: "deadwood", stroke: COLOURS[seat], strokeWidth: 2, curve: "step-after", strokeDasharray: seat ? "6 3" : null }))],
    }), "deadwood over the turns; the table shows it at each turn", go);
  }

  /** What the hand is worth to seat 0, from the first draw to its points. */
  function worth(found, last, net) {
    const points = found.flatMap((step) => (step.before === null ? [] : [{ turn: step.turn - 1, value: step.before }]).concat({ turn: step.turn, value: step.after }));
    return [...points, { turn: last, value: net }];
  }

  /** The value of a line at a turn between two points. */
  const between = (one, other, turn) => (other.turn > one.turn ? one.value + (other.value - one.value) * (turn - one.turn) / (other.turn - one.turn) : one.value);

  const ERRORS = { inaccuracy: { symbol: "circle", r: 4 }, mistake: { symbol: "triangle", r: 5 }, blunder: { symbol: "times", r: 6 } };

  /** Marks of decisions that give up much: `{ turn, mark, price, action, best }`. */
  const errorMarks = (errors, at) => Object.entries(ERRORS).map(([mark, look]) => Plot.dot(errors.filter((one) => one.mark === mark), {
    x: "turn", y: (one) => at(one.turn), ...look, stroke: "var(--red)", fill: mark === "blunder" ? "none" : "var(--red)", strokeWidth: 2.5 }));

  /** A curve of `points` for a player, with the swings of luck in `found` and marks at `errors`. */
  function worthChart(place, points, found, errors, last, name, go) {
    const swings = found.filter((step) => step.before !== null);
    const at = (turn) => between(points.findLast((point) => point.turn <= turn) ?? points[0], points.find((point) => point.turn >= turn) ?? points.at(-1), turn);
    return put(place, Plot.plot({
      ...frame(place, last), y: { label: `points for ${name}`, grid: true, nice: true, tickFormat: signed }, symbol: { legend: false },
      marks: [
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.lineY(points, { x: "turn", y: "value", strokeWidth: 2 }),
        Plot.ruleX(swings, { x: "turn", y1: "before", y2: "after", strokeWidth: 5, strokeOpacity: 0.8, stroke: (step) => (step.after >= step.before ? COLOURS[0] : COLOURS[1]) }),
        ...errorMarks(errors, at),
      ],
    }), `what the hand is worth to ${name}, turn by turn${errors.length ? `; ${errors.length} marked decisions` : ""}`, go);
  }

  return { COLOURS, legend, deadwoodChart, worth, worthChart };
})();
