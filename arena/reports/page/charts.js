"use strict";
// The charts, drawn with Observable Plot. Tables on the page show the same numbers.
const Charts = (() => {
  const ENDINGS = ["gin", "big gin", "knock", "undercut", "nobody scores", "other ends", "lost to a knock", "lost to gin", "lost by undercut"];
  const colours = (letter, count) => Array.from({ length: count }, (_, at) => `var(--${letter}${at + 1})`);

  const STYLE = { fontSize: "12px" };

  function put(place, chart, label) {
    const svg = chart.tagName === "svg" ? chart : chart.querySelector(":scope > svg");
    Dom.image(svg, label);
    place.replaceChildren(chart);
  }

  /** Say in the place of a chart that it has no line yet. */
  const putNothing = (place) => place.replaceChildren(Dom.make("p", { class: "note" }, "There are lines once more has been played."));

  const toTenths = (value) => Numbers.signed(value, 1);

  function ratings(place, rows) {
    const rated = rows.filter((row) => row.rating);
    if (!rated.length) return;
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, width: Dom.chartWidth(place), height: 72 + 26 * rated.length, marginLeft: margin(rated), x: { label: place.dataset.unit, grid: true },
      y: { label: null, domain: rated.map((row) => row.entrant) },
      marks: [
        Plot.ruleX([0], { strokeOpacity: 0.4 }),
        Plot.ruleY(rated, { y: "entrant", x1: (row) => row.rating[1], x2: (row) => row.rating[2], strokeWidth: 3, strokeOpacity: 0.55 }),
        Plot.dot(rated, { y: "entrant", x: (row) => row.rating[0], r: 5, fill: "currentColor" }),
        Plot.tip(rated, Plot.pointerY({ y: "entrant", x: (row) => row.rating[0],
          title: ({ entrant, rating: [value, low, high] }) => `${entrant}: ${toTenths(value)}, ${toTenths(low)} to ${toTenths(high)}` })),
      ],
    }), "ratings, each with a bar; the standings table has the numbers");
  }

  const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
  // A bot further from the median than FAR median distances and FAR_POINTS points is left off the scale, which it would flatten.
  const FAR = 6;
  const FAR_POINTS = 10;

  /** The last points of the entrants whose averages lie far from the others'. */
  function farOff(last) {
    const middle = median(last.map((point) => point.average));
    const reach = Math.max(FAR_POINTS, FAR * median(last.map((point) => Math.abs(point.average - middle))));
    return last.filter((point) => Math.abs(point.average - middle) > reach);
  }

  /** The ends of a scale that holds the points after the first tenth of the hands, the last intervals, and 0. */
  function scaleOf(points, last) {
    const settled = points.filter((point) => point.hands * 10 >= Math.max(...last.map((one) => one.hands)));
    const values = [...settled.map((point) => point.average), ...last.flatMap((point) => [point.low ?? point.average, point.high ?? point.average])];
    const [low, high] = [Math.min(...values, 0), Math.max(...values, 0)];
    const room = 0.05 * (high - low || 1);
    return [low - room, high + room];
  }

  /**
   * Arrows at the edges of a chart where lines or intervals leave its scale, one for each stretch of hands. `ends` returns the lowest
   * and the highest value of a point.
   */
  function arrows(points, ends, [bottom, top]) {
    const at = [...new Set(points.map((point) => point.hands))].sort((one, other) => one - other);
    const leaving = (isOff) => new Set(points.filter((point) => isOff(ends(point))).map((point) => point.hands));
    const stretches = (off) => at.reduce((found, hands, place) => {
      if (!off.has(hands)) return found;
      if (place && off.has(at[place - 1])) found.at(-1).push(hands); else found.push([hands]);
      return found;
    }, []);
    const edge = (off, text, y, dy) => Plot.text(stretches(off), { x: (hands) => (hands[0] + hands.at(-1)) / 2, y: () => y, dy, text: () => text, className: "beyond" });
    return [edge(leaving(([, high]) => high > top), "▲\uFE0E", top, 7), edge(leaving(([low]) => low < bottom), "▼\uFE0E", bottom, -7)];
  }

  /** A number of points on an axis: `+1,200`, `0`, `-0.5`. */
  const signed = (value) => `${value > 0 ? "+" : ""}${Numbers.whole(value)}`;

  const averageText = (point) => `${point.entrant}: ${Estimates.text({ mean: point.average, half: point.half })}`;

  function history(place, lines, order) {
    const present = order.filter((entrant) => lines[entrant] && lines[entrant].length);
    if (!present.length) { putNothing(place); return; }
    const points = present.flatMap((entrant) => lines[entrant].map(([hands, average, half]) => (
      { entrant, hands, average, half: half ?? null, low: half == null ? null : average - half, high: half == null ? null : average + half })));
    if (new Set(points.map((point) => point.hands)).size < 2) {
      putNothing(place);
      return;
    }
    const last = present.map((entrant) => points.findLast((point) => point.entrant === entrant));
    const far = farOff(last);
    const without = (left) => points.filter((point) => !left.some((one) => one.entrant === point.entrant));
    const [bottom, top] = scaleOf(without(far), last.filter((point) => !far.includes(point)));
    const off = far.filter((point) => point.average < bottom || point.average > top); // a far point within the scale is shown
    const shown = without(off);
    const held = (value) => Math.min(Math.max(value, bottom), top);
    const banded = shown.filter((point) => point.half !== null);
    const marked = off.map((point, at) => ({ ...point, at, up: point.average > top }));
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, width: Dom.chartWidth(place), height: 360, x: { label: "hands played", grid: true },
      y: { label: "net points a hand so far", grid: true, domain: [bottom, top], tickFormat: signed }, color: { legend: true, domain: present, range: colours("s", 8) }, marks: [
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.areaY(banded, { x: "hands", y1: (point) => held(point.low), y2: (point) => held(point.high), z: "entrant", fill: "entrant", fillOpacity: 0.1 }),
        Plot.lineY(shown, { x: "hands", y: (point) => held(point.average), z: "entrant", stroke: "entrant", strokeWidth: 1.8 }),
        ...arrows(shown, (point) => [point.low ?? point.average, point.high ?? point.average], [bottom, top]),
        ...marked.map((point) => Plot.text([`${point.up ? "▲" : "▼"} ${averageText(point)}`],
          { frameAnchor: point.up ? "top-right" : "bottom-right", dx: -4, dy: (point.up ? 1 : -1) * (6 + 16 * point.at), fontWeight: 600 })),
        Plot.tip(shown, Plot.pointer({ x: "hands", y: (point) => held(point.average), z: null, stroke: "entrant", title: (point) => `${averageText(point)}\npoints a hand after ${Numbers.count(point.hands, "hand")}` })),
      ],
    }), `net points a hand of each bot over the run${off.length ? `; off the scale: ${off.map(averageText).join(", ")}` : ""}`);
  }

  /** The running score of a pairing: net points of the first bot after each match, `[{ hands, net, fixture }]`. */
  function runningScore(place, points, name) {
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, marginLeft: 52, width: Dom.chartWidth(place), height: 260, x: { label: "hands played", grid: true },
      y: { label: `points of ${name}, net`, grid: true, tickFormat: signed },
      marks: [
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.lineY(points, { x: "hands", y: "net", strokeWidth: 2, stroke: "var(--accent)", curve: "step-after" }),
        ...(points.length <= 60 ? [Plot.dot(points.slice(1), { x: "hands", y: "net", r: 3, fill: "var(--accent)" })] : []),
        Plot.tip(points.slice(1), Plot.pointerX({ x: "hands", y: "net", title: (point) => `${point.fixture}\n${Numbers.signed(point.net, 0)} points after ${Numbers.count(point.hands, "hand")}` })),
      ],
    }), `net points of ${name} after each match; the table below has the matches`);
  }

  function endings(place, rows) {
    const parts = rows.flatMap((row) => row.endings.map((hands, at) => ({ entrant: row.entrant, ending: ENDINGS[at], hands })));
    const total = new Map(rows.map((row) => [row.entrant, row.endings.reduce((sum, one) => sum + one, 0)]));
    const played = parts.filter((part) => total.get(part.entrant) > 0);
    if (!played.length) return;
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, width: Dom.chartWidth(place), height: 72 + 28 * rows.length, marginLeft: margin(rows), x: { label: "share of its hands", percent: true }, y: { label: null, domain: rows.map((row) => row.entrant) },
      color: { legend: true, domain: ENDINGS, range: colours("e", ENDINGS.length) },
      marks: [Plot.barX(played, { y: "entrant", x: (part) => part.hands / total.get(part.entrant), fill: "ending", order: ENDINGS, tip: { format: { y: false } } })],
    }), "how the hands of each bot ended; the table below has the numbers");
  }

  /** The evidence of a comparison over the hands, on a logarithmic scale; values off the scale are drawn at its edge. */
  function evidence(place, compared) {
    const bounds = [...new Set(compared.proof)];
    const most = Math.max(...bounds);
    const [bottom, top] = [0.01, 5 * most];
    const held = (value) => Math.min(Math.max(value, bottom), top);
    const lines = compared.history.flatMap(([hands, better, worse]) => [
      { hands, answer: compared.above, evidence: better }, { hands, answer: compared.below, evidence: worse }]);
    if (!lines.length) { putNothing(place); return; }
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, marginLeft: 48, width: Dom.chartWidth(place), height: 260, x: { label: "hands played", grid: true },
      y: { type: "log", domain: [bottom, top], label: "evidence", ticks: [0.01, 0.1, 1, 10, 100].filter((tick) => tick <= top), tickFormat: String },
      color: { legend: true, domain: [compared.above, compared.below], range: ["var(--good)", "var(--bad)"] },
      marks: [
        Plot.ruleY(bounds, { strokeDasharray: "5 4" }),
        ...bounds.map((bound) => Plot.text([bound], { frameAnchor: "left", x: null, y: (value) => value, dx: 4, dy: bound === most ? -7 : 7, textAnchor: "start", text: (value) => `${Number(value.toPrecision(3))} decides` })),
        Plot.lineY(lines, { x: "hands", y: (line) => held(line.evidence), stroke: "answer", strokeWidth: 2 }),
        ...arrows(lines, (line) => [line.evidence, line.evidence], [bottom, top]),
        Plot.tip(lines, Plot.pointer({ x: "hands", y: (line) => held(line.evidence), stroke: "answer", title: (line) => `${line.answer}\nevidence ${line.evidence.toPrecision(2)} after ${Numbers.count(line.hands, "hand")}` })),
      ],
    }), "evidence for both answers over the hands; an arrow: it continues beyond the scale; the lines above have the last numbers");
  }

  /** The estimated difference of a comparison over the hands. */
  function difference(place, compared) {
    const points = compared.history.filter((point) => point[3] !== null).map(([hands, , , value, low, high]) => ({ hands, value, low, high }));
    if (!points.length) { putNothing(place); return; }
    const last = points.at(-1);
    const reach = 3 * Math.max(last.high - last.value, last.value - last.low, 0.5);
    const [bottom, top] = [last.value - reach, last.value + reach];
    const held = (value) => Math.min(Math.max(value, bottom), top);
    put(place, Plot.plot({
      style: STYLE, marginBottom: 42, marginLeft: 48, width: Dom.chartWidth(place), height: 260, x: { label: "hands played", grid: true },
      y: { domain: [bottom, top], label: compared.unit, grid: true, tickFormat: signed },
      marks: [
        Plot.areaY(points, { x: "hands", y1: (point) => held(point.low), y2: (point) => held(point.high), fillOpacity: 0.18 }),
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.ruleY(compared.bounds, { strokeDasharray: "5 4" }),
        Plot.lineY(points, { x: "hands", y: (point) => held(point.value), strokeWidth: 2 }),
        ...arrows(points, (point) => [point.low, point.high], [bottom, top]),
        Plot.tip(points, Plot.pointerX({ x: "hands", y: (point) => held(point.value),
          title: (point) => `${Numbers.signed(point.value, 2)} (${Numbers.signed(point.low, 2)} to ${Numbers.signed(point.high, 2)})\nafter ${Numbers.count(point.hands, "hand")}` })),
      ],
    }), "the difference with its bounds over the hands; the dashed lines are the bounds of the question; an arrow: it continues beyond the scale");
  }

  const margin = (rows) => Math.min(190, 20 + 7.8 * Math.max(...rows.map((row) => row.entrant.length)));

  const LARGE = 30; // bots; of more a chart shows the first FIRST, until all are asked for
  const FIRST = 20;

  /** Draw a chart of a row for each bot; of a large field, with a button that shows all. */
  function long(drawn, place, rows) {
    const few = rows.length > LARGE && !place.dataset.all;
    drawn(place, few ? rows.slice(0, FIRST) : rows);
    const onclick = () => { place.dataset.all = "1"; drawn(place, rows); };
    if (few) place.append(Dom.make("button", { class: "tool", type: "button", onclick }, `All ${rows.length} bots`));
  }

  /** Draw each chart for which the page has an element. */
  function draw(tournament) {
    const place = (id) => document.getElementById(id);
    if (place("chart-evidence")) evidence(place("chart-evidence"), tournament.comparison);
    if (place("chart-difference")) difference(place("chart-difference"), tournament.comparison);
    if (place("chart-ratings")) long(ratings, place("chart-ratings"), tournament.rows);
    if (place("chart-history")) history(place("chart-history"), tournament.history, tournament.rows.map((row) => row.entrant));
    if (place("chart-endings")) long(endings, place("chart-endings"), tournament.rows);
  }

  return { draw, runningScore };
})();
