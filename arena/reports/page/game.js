"use strict";
// The turns of a hand for pages. It moves the cards that the recorded actions name and knows no rules: what follows from them (phases,
// legal actions, melds, deadwood, what the hand is worth) stands in the data, by arena/reports/played.py. tests/web/test_game_js.py
// compares states and messages with those of arena/gin.
const Gin = (() => {
  const RANKS = "A23456789TJQK";
  const SUITS = "cdhs";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const FIRST = 48; // the character of ruling 0
  const FIELDS = ["game", "hand", "dealer", "cards", "actions", "states", "left", "melds", "laid", "shown", "called", "worth", "luck", "ending", "winner", "points", "deadwood", "score", "columns", "knock_limit", "multiplier", "terms", "spent"];

  const name = (card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)];
  const card = (text) => SUITS.indexOf(text[1]) * 13 + RANKS.indexOf(text[0]);
  const sorted = (cards) => [...cards].sort((a, b) => a - b);
  const names = (cards) => sorted(cards).map(name);
  const without = (cards, removed) => cards.filter((one) => !removed.includes(one));
  const decoded = (letters) => [...letters].map((letter) => LETTERS.indexOf(letter));

  /** A match as it is sent, whose hands are rows of values, with hands as objects. */
  function unpacked(match) {
    const hand = (row) => ({ ...Object.fromEntries(FIELDS.map((field, at) => [field, row[at]])), rulings: match.rulings });
    return { ...match, hands: match.hands.map(hand) };
  }

  /** A pair of values, one of each seat, with another value of `seat`. */
  const replaced = (pair, seat, value) => (seat === 0 ? [value, pair[1]] : [pair[0], value]);
  const add = (pair, seat, one) => replaced(pair, seat, [...pair[seat], one]);

  function startState(played) {
    const cards = decoded(played.cards);
    const eleven = played.rulings[played.states.charCodeAt(0) - FIRST][0] === "discard"; // the player who acts first holds the 21st card
    const first = eleven && played.dealer === 1 ? 11 : 10;
    return {
      dealer: played.dealer, cards: [cards.slice(0, first), cards.slice(first, eleven ? 21 : 20)], pile: eleven ? [] : [cards[20]], stock: 52 - 21, drawn: null, taken: false,
      took: [[], []], threw: [[], []], called: null, laid: [null, null], melds: [[], []],
      knock_limit: played.knock_limit, multiplier: played.multiplier,
    };
  }

  /** The cards after one action; `word` has the action in the notation of a transcript, `upcoming` the cards drawn from here on. */
  function play(hand, word, upcoming, played) {
    const [kind, thrown] = word.split(":");
    const mine = hand.cards[hand.seat];
    const seen = { ...hand, drawn: null, taken: false };
    const layDown = () => {
      const { melds, lay_offs: on = [] } = answer(word);
      return { laid: replaced(hand.laid, hand.seat, onTable([melds, on, played.laid[hand.seat]])), called: played.called };
    };
    switch (kind) {
      case "pass": return seen;
      case "draw": {
        const one = upcoming.shift();
        return { ...seen, cards: add(hand.cards, hand.seat, one), stock: hand.stock - 1, drawn: one };
      }
      case "take": {
        const one = hand.pile.at(-1);
        return { ...seen, cards: add(hand.cards, hand.seat, one), pile: hand.pile.slice(0, -1), took: add(hand.took, hand.seat, one), drawn: one, taken: true };
      }
      case "knock": return { ...seen, ...layDown(), cards: replaced(hand.cards, hand.seat, without(mine, [card(thrown)])) };
      case "big_gin": case "lay_off": return { ...seen, ...layDown() };
      default: return { ...seen, cards: replaced(hand.cards, hand.seat, without(mine, [card(kind)])), pile: [...hand.pile, card(kind)], threw: add(hand.threw, hand.seat, card(kind)) };
    }
  }

  /** Every state of a hand, from the deal to its end; `words[n]` is the action that leads from state n to the next. */
  function replay(played) {
    const words = played.actions.split(" ").filter(Boolean);
    const upcoming = decoded(played.cards.slice(21));
    const states = [withRuling(startState(played), played, 0)];
    words.forEach((word, at) => states.push(withRuling(play(states.at(-1), word, upcoming, played), played, at + 1)));
    if (played.shown) Object.assign(states.at(-1), { laid: played.shown.map(onTable), called: played.called });
    return { words, states };
  }

  /** The melds and lay-offs of a seat as cards instead of names, with its deadwood. */
  const onTable = ([melds, on, left]) => ({ melds: melds.map((meld) => meld.map(card)), on: on.map(([one, to]) => [card(one), to]), left });

  /** A state with its ruling (phase, seat, legal actions) and with the deadwood and best melds of both seats. */
  function withRuling(hand, played, at) {
    const [phase, seat, may, mayDiscard, layOffs] = played.rulings[played.states.charCodeAt(at) - FIRST];
    const left = at ? replaced(hand.left, hand.seat, played.left[at + 1]) : played.left.slice(0, 2);
    const changed = played.melds.split(" ").map((one) => one.split("."));
    const melds = [0, 1].map((one) => changed.find(([when]) => when === String(2 * at + one))?.slice(1).map(decoded) ?? hand.melds[one]);
    return { ...hand, phase, seat, may, mayDiscard, layOffs, left, melds };
  }

  /** The worth of a hand to seat 0 in points, `{ turn, before, after }` for each draw and take; `before` is null for a take. */
  function worth(played) {
    let total = 0;
    const values = played.worth.map((more) => (total += more) / 2);
    const found = [];
    played.actions.split(" ").forEach((word, turn) => {
      if (values.length && word === "draw") found.push({ turn: turn + 1, before: values.shift(), after: values.shift() });
      if (values.length && word === "take") found.push({ turn: turn + 1, before: null, after: values.shift() });
    });
    return found;
  }

  // --- the messages between referee and bot, as in arena/protocol

  const discards = (hand) => ({ none: [], all: hand.cards[hand.seat], "not drawn": without(hand.cards[hand.seat], [hand.drawn]) })[hand.mayDiscard];

  /** The turn message to the seat that acts next; `match` is the state of the match before the hand. */
  function question(hand, match) {
    const seat = hand.seat;
    const mine = (pair) => (seat === 0 ? pair : [pair[1], pair[0]]);
    const knocked = hand.phase === "lay_off" ? hand.laid[1 - seat] : null;
    return {
      type: "turn", game: match.game, hand: match.hand, score: mine(match.score), games: mine(match.games), knock_limit: hand.knock_limit, multiplier: hand.multiplier,
      dealer: hand.dealer === seat,
      phase: hand.phase, may: hand.may, cards: names(hand.cards[seat]), may_discard: names(discards(hand)),
      drawn: hand.drawn === null ? null : name(hand.drawn), pile: hand.pile.map(name), stock: hand.stock,
      took: mine(hand.took).map((some) => names(new Set(some))), threw: mine(hand.threw).map((some) => names(new Set(some))),
      knocker: knocked && { melds: knocked.melds.map(names), deadwood: knocked.left, lay_offs: hand.layOffs },
      ...(match.columns?.length ? { columns: match.columns.map(mine) } : {}),
    };
  }

  /** The answer that an action records, with the melds that the referee chose where the bot left them out. */
  function answer(word) {
    const [kind, ...declared] = word.split(":");
    const several = (key) => (declared.find((part) => part.startsWith(`${key}=`)) ?? "").slice(key.length + 1).split(",").filter(Boolean);
    const melds = () => several("melds").map((meld) => names(meld.match(/../g).map(card)));
    if (kind === "knock") return { kind, card: declared[0], melds: melds() };
    if (kind === "big_gin") return { kind, melds: melds() };
    if (kind === "lay_off") return { kind, melds: melds(), lay_offs: several("on").map((one) => [one.slice(0, 2), Number(one.slice(2))]) };
    return ["pass", "take", "draw"].includes(kind) ? { kind } : { kind: "discard", card: word };
  }

  return { name, names, replay, worth, question, answer, sorted, without, unpacked };
})();
