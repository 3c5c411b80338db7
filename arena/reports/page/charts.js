"use strict";
// The charts, by Observable Plot, of the numbers that stand in the tables beside them.
const Charts = (() => {
  const ENDINGS = ["gin", "big gin", "knock", "undercut", "nobody scores", "other ends", "lost to a knock", "lost to gin", "lost by undercut"];
  const COLOURS = ["#0b6b50", "#63b598", "#4c9be8", "#8e6bd1", "#9aa3a0", "#c9cfcc", "#f0c05a", "#e08a52", "#b3451e"];

  const width = (place) => Math.max(280, Math.min(place.clientWidth || 640, 1000));

  function put(place, chart, label) {
    const svg = chart.tagName === "svg" ? chart : chart.querySelector(":scope > svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    place.replaceChildren(chart);
  }

  function ratings(place, rows) {
    const rated = rows.filter((row) => row.rating);
    if (!rated.length) return;
    put(place, Plot.plot({
      width: width(place), height: 60 + 26 * rated.length, marginLeft: margin(rated), x: { label: place.dataset.unit, grid: true },
      y: { label: null, domain: rated.map((row) => row.entrant) },
      marks: [
        Plot.ruleX([0], { strokeOpacity: 0.4 }),
        Plot.ruleY(rated, { y: "entrant", x1: (row) => row.rating[1], x2: (row) => row.rating[2], strokeWidth: 3, strokeOpacity: 0.55 }),
        Plot.dot(rated, { y: "entrant", x: (row) => row.rating[0], r: 5, fill: "currentColor" }),
        Plot.tip(rated, Plot.pointerY({ y: "entrant", x: (row) => row.rating[0],
          title: (row) => `${row.entrant}: ${row.rating.map((one) => one.toFixed(1)).join(", 95 %: ")}`.replace(/, 95 %: ([^,]*)$/, " to $1") })),
      ],
    }), "ratings with their 95 % intervals; the numbers are in the table of standings");
  }

  function course(place, lines) {
    const marks = Object.entries(lines).flatMap(([entrant, line]) => line.map(([hands, points]) => ({ entrant, hands, points })));
    if (!marks.length) return;
    const late = marks.filter((mark) => mark.hands > 0);
    put(place, Plot.plot({
      width: width(place), height: 340, x: { label: "hands played", grid: true }, y: { label: "net points a hand, all hands so far", grid: true },
      color: { legend: true, domain: Object.keys(lines) }, marks: [
        Plot.ruleY([0], { strokeOpacity: 0.4 }),
        Plot.lineY(late, { x: "hands", y: "points", z: "entrant", stroke: "entrant", strokeWidth: 1.8 }),
        Plot.tip(late, Plot.pointer({ x: "hands", y: "points", z: null, stroke: "entrant", title: (mark) => `${mark.entrant}\n${mark.points.toFixed(2)} a hand after ${mark.hands}` })),
      ],
    }), "net points a hand of each bot as its hands were played");
  }

  function endings(place, rows) {
    const parts = rows.flatMap((row) => row.endings.map((hands, at) => ({ entrant: row.entrant, ending: ENDINGS[at], hands })));
    const total = new Map(rows.map((row) => [row.entrant, row.endings.reduce((sum, one) => sum + one, 0)]));
    const played = parts.filter((part) => total.get(part.entrant) > 0);
    if (!played.length) return;
    put(place, Plot.plot({
      width: width(place), height: 60 + 28 * rows.length, marginLeft: margin(rows), x: { label: "share of its hands", percent: true }, y: { label: null, domain: rows.map((row) => row.entrant) },
      color: { legend: true, domain: ENDINGS, range: COLOURS },
      marks: [Plot.barX(played, { y: "entrant", x: (part) => part.hands / total.get(part.entrant), fill: "ending", order: ENDINGS, tip: { format: { y: false } } })],
    }), "how the hands of each bot ended; the numbers are in the table below");
  }

  const margin = (rows) => Math.min(190, 20 + 7.2 * Math.max(...rows.map((row) => row.entrant.length)));

  /** Draw whatever a page has room for. */
  function draw(found) {
    const place = (id) => document.getElementById(id);
    if (place("chart-ratings")) ratings(place("chart-ratings"), found.rows);
    if (place("chart-course")) course(place("chart-course"), found.course);
    if (place("chart-endings")) endings(place("chart-endings"), found.rows);
  }

  return { draw };
})();
