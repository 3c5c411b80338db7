"use strict";
// The mean points a hand of a pairing with its interval. tests/web/test_estimates_js.py compares it with Python's. Needs numbers.js.
const Estimates = (() => {
  const Z = 1.959964; // the normal quantile of 97.5 %

  /** The 97.5 % quantile of Student's t distribution, as in arena/stats/margin.py. */
  function student(degrees) {
    if (degrees < 4) return [12.706, 4.303, 3.182][degrees - 1];
    const terms = [(Z ** 3 + Z) / 4, (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96, (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
      (79 * Z ** 9 + 776 * Z ** 7 + 1482 * Z ** 5 - 1920 * Z ** 3 - 945 * Z) / 92160];
    return Z + terms.reduce((sum, term, power) => sum + term / degrees ** (power + 1), 0);
  }

  const sum = (values) => values.reduce((total, one) => total + one, 0);

  /** Points a hand over matches `[{ net, hands }]`, and half its 95 % interval (null for one match), as in arena/reports/points_history.py. */
  function ratio(matches) {
    const [net, hands] = [sum(matches.map((one) => one.net)), sum(matches.map((one) => one.hands))];
    if (!hands) return null;
    const mean = net / hands;
    const count = matches.length;
    if (count < 2) return { mean, half: null };
    const squares = sum(matches.map((one) => (one.net - mean * one.hands) ** 2));
    return { mean, half: student(count - 1) * Math.sqrt((squares * count) / (count - 1)) / hands };
  }

  /** `+1.23 ± 0.45` */
  const text = (found) => (found ? Numbers.interval(found.mean, found.half, 2) : Numbers.MISSING);

  return { student, ratio, text };
})();
