"use strict";
// A person's error rates in its last matches, the oldest first, with intervals. Needs numbers.js and dom.js.
const Trend = (() => {
  const { make, drawn } = Dom;
  const [WIDTH, HEIGHT, EDGE] = [360, 120, 30];

  const text = (x, y, said, anchor) => drawn("text", { x, y, "text-anchor": anchor }, said);

  /** Intervals as bars, rates as dots on a line, and zero, the reviewer's own play; bars are cut at the edge of the drawing. */
  function chart(matches) {
    const rates = matches.map((one) => one.rate);
    const [low, high] = [Math.min(0, ...rates) - 2, Math.max(0, ...rates) + 2];
    const y = (value) => 8 + (HEIGHT - 30) * (high - Math.max(low, Math.min(high, value))) / (high - low);
    const x = (at) => EDGE + 10 + at * (WIDTH - 2 * EDGE - 10) / Math.max(1, matches.length - 1);
    const svg = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "trend" });
    svg.append(drawn("line", { class: "zero", x1: EDGE, x2: WIDTH - EDGE, y1: y(0), y2: y(0) }), text(EDGE - 4, y(0) + 4, "0", "end"));
    matches.forEach((one, at) => one.half !== null && svg.append(drawn("line", { class: "interval", x1: x(at), x2: x(at), y1: y(one.rate - one.half), y2: y(one.rate + one.half) })));
    svg.append(drawn("polyline", { points: rates.map((rate, at) => `${x(at)},${y(rate)}`).join(" ") }));
    rates.forEach((rate, at) => svg.append(drawn("circle", { cx: x(at), cy: y(rate), r: 4 })));
    svg.append(text(x(matches.length - 1) + 7, y(rates.at(-1)) + 4, Numbers.signed(rates.at(-1), 1), "start"), text(x(0), HEIGHT - 4, "oldest", "middle"), text(x(matches.length - 1), HEIGHT - 4, "this", "middle"));
    Dom.image(svg, `what your errors cost in ${matches.length} matches, from ${Numbers.signed(rates[0], 1)} to ${Numbers.signed(rates.at(-1), 1)} points a hand; the table has each`);
    return svg;
  }

  /** A link to try the first marked decision of a match again; the page leads on to the next ones. */
  const retry = ({ run, mistakes, first }) => (mistakes ? make("a", { href: `replay${run ? `?run=${encodeURIComponent(run)}` : ""}#${first}/try`, target: "_blank" }, String(mistakes)) : "none");

  function learn(matches) {
    const some = matches.filter((one) => one.mistakes).reverse();
    return some.length ? [make("p", { class: "learn" }, "Learn from your mistakes, the last match first: ", some.map((one, at) => [at ? ", " : "", retry(one), ` in ${one.match}`]), ".")] : [];
  }

  /** The parts of a page that show matches; none for fewer than two. */
  function parts(matches) {
    if (!matches || matches.length < 2) return [];
    return [make("h3", {}, "What your errors cost, match by match"), make("p", { class: "note" }, "Points a hand more than the reviewer's own play; below 0 you played better. Bars: ± two standard errors."), chart(matches),
      make("details", {}, make("summary", {}, "In numbers"), Dom.table(["match", "hands", "points a hand", "mistakes to try again"], matches.map((one) => [one.match, String(one.hands), one.text, retry(one)]), [0])), ...learn(matches)];
  }

  return { parts };
})();
