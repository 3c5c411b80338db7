"use strict";
// Numbers as text, as arena/reports/numbers.py writes them for pages. tests/reports/numbers.json has examples, which both must write.
const Numbers = (() => {
  const MISSING = "–";
  const MINUS = "\u2212";
  const SPACE = "\u00a0"; // a line does not break at it

  const whole = (value) => value.toLocaleString("en").replace("-", MINUS);

  /** A number without its sign, with commas: `1,420.50`. */
  const grouped = (value, digits) => Math.abs(value).toFixed(digits).replace(/^\d+/, (whole) => Number(whole).toLocaleString("en"));

  /** A number with a sign, `+1,420.50`; one that rounds to zero is `+0.00`. */
  function signed(value, digits) {
    const text = grouped(value, digits);
    return `${value < 0 && /[1-9]/.test(text) ? MINUS : "+"}${text}`;
  }

  /** A number of things, `1 match`, `1,540 hands`; `several` is the plural, if it is not `one` with an s. */
  const count = (many, one, several = `${one}s`) => `${whole(many)} ${many === 1 ? one : several}`;

  const share = (value, digits = 0) => `${(100 * value).toFixed(digits)}${SPACE}%`;

  /** `+1.23 ± 0.45`; `half` is half the interval, null: not known. */
  const interval = (value, half, digits) => `${signed(value, digits)}${half === null ? "" : `${SPACE}±${SPACE}${grouped(half, digits)}`}`;

  /** The words for a hand that commands call `0.2`: `game 1, hand 3`; `alone`, a game of one hand: `hand 1`. */
  function hand(name, alone) {
    const [game, number] = name.split(".").map((one) => whole(Number(one) + 1));
    return alone ? `hand ${game}` : `game ${game}, hand ${number}`;
  }

  return { MISSING, hand, whole, signed, count, share, interval };
})();
