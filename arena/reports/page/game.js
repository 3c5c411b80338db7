"use strict";
// The game as a page needs it: a hand replays as a fold over its recorded actions, which the referee has judged.
// It is held to arena/gin, message by message and meld by meld, by tests/web/test_game_js.py.
const Gin = (() => {
  const RANKS = "A23456789TJQK";
  const SUITS = "cdhs";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  const name = (card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)];
  const card = (text) => SUITS.indexOf(text[1]) * 13 + RANKS.indexOf(text[0]);
  const value = (one) => Math.min((one % 13) + 1, 10);
  const sorted = (cards) => [...cards].sort((a, b) => a - b);
  const names = (cards) => sorted(cards).map(name);
  const points = (cards) => cards.reduce((sum, one) => sum + value(one), 0);
  const without = (cards, gone) => cards.filter((one) => !gone.includes(one));
  const parse = (text) => (text.match(/../g) || []).map(card);
  const weight = (cards) => cards.reduce((sum, one) => sum + 2 ** one, 0); // below 2^53: exact

  // --- melds (R1.3 to R1.6, R6.2)

  const isSet = (meld) => meld.every((one) => one % 13 === meld[0] % 13);

  /** Every set and run in some cards, in the order of their numbers. */
  function meldsIn(cards) {
    const held = new Set(cards);
    return [...setsIn(held), ...runsIn(held)].sort((a, b) => weight(a) - weight(b));
  }

  function setsIn(held) {
    const found = [];
    for (let rank = 0; rank < 13; rank++) {
      const same = [0, 13, 26, 39].map((suit) => suit + rank).filter((one) => held.has(one));
      if (same.length >= 3) found.push(same);
      if (same.length === 4) same.forEach((gone) => found.push(same.filter((one) => one !== gone)));
    }
    return found;
  }

  function runsIn(held) {
    const found = [];
    for (const first of held) {
      const run = [first];
      while ((run.at(-1) + 1) % 13 !== 0 && held.has(run.at(-1) + 1)) {
        run.push(run.at(-1) + 1);
        if (run.length >= 3) found.push([...run]);
      }
    }
    return found;
  }

  /** The arrangement that leaves least deadwood; ties as R6.2 decides. */
  function arrange(cards) {
    let best = null;
    const consider = (chosen, rest) => {
      const found = { melds: chosen, left: points(rest), opens: openings(chosen, cards) };
      if (!best || before(found, best)) best = found;
    };
    const choose = (melds, chosen, rest) => {
      consider(chosen, rest);
      melds.forEach((meld, at) => {
        const apart = melds.slice(at + 1).filter((other) => !other.some((one) => meld.includes(one)));
        choose(apart, [...chosen, meld], without(rest, meld));
      });
    };
    choose(meldsIn(cards), [], sorted(cards));
    return { melds: best.melds, deadwood: best.left, loose: without(sorted(cards), best.melds.flat()) };
  }

  function before(one, other) {
    if (one.left !== other.left) return one.left < other.left;
    if (one.opens !== other.opens) return one.opens < other.opens;
    const [mine, theirs] = [one.melds.map(weight), other.melds.map(weight)];
    for (let at = 0; at < Math.min(mine.length, theirs.length); at++) {
      if (mine[at] !== theirs[at]) return mine[at] < theirs[at];
    }
    return mine.length < theirs.length;
  }

  /** How many cards outside `cards` could be laid directly on some melds. */
  function openings(melds, cards) {
    return new Set(melds.flatMap(fits).filter((one) => !cards.includes(one))).size;
  }

  function fits(meld) {
    if (isSet(meld)) return [0, 13, 26, 39].map((suit) => suit + (meld[0] % 13)).filter((one) => !meld.includes(one));
    const [low, high] = [Math.min(...meld), Math.max(...meld)];
    return [...(low % 13 ? [low - 1] : []), ...(high % 13 < 12 ? [high + 1] : [])];
  }

  const least = (cards) => arrange(cards).deadwood;

  // --- a hand, from the deal to its end

  function start(played, rules) {
    const deck = [...played.deck].map((letter) => LETTERS.indexOf(letter));
    const first = deck.slice(0, 20).filter((_, at) => at % 2 === 0);
    const second = deck.slice(0, 20).filter((_, at) => at % 2 === 1);
    return {
      rules, deck, dealer: played.dealer, phase: rules.first_turn === "upcard" ? "upcard" : "draw", seat: 1 - played.dealer,
      cards: played.dealer === 1 ? [first, second] : [second, first],
      pile: [deck[20]], top: 21, bottom: 52, drawn: null, taken: false, passes: 0, takes: 0,
      took: [[], []], threw: [[], []], called: null, laid: [null, null],
    };
  }

  /** The hand after one word of its transcript. */
  function play(hand, word) {
    const [kind, ...declared] = word.split(":");
    const act = ACTS[kind];
    if (act) return act(hand, declared);
    return discard(hand, card(word));
  }

  const both = (pair, seat, mine) => (seat === 0 ? [mine, pair[1]] : [pair[0], mine]);
  const add = (pair, seat, one) => both(pair, seat, [...pair[seat], one]);

  function pass(hand) {
    if (hand.phase === "last_take") return { ...hand, phase: "over" };
    const other = 1 - hand.seat;
    if (hand.passes === 0) return { ...hand, seat: other, passes: 1 };
    return { ...hand, seat: other, passes: 2, phase: hand.rules.after_two_passes === "stock" ? "first_draw" : "draw" };
  }

  function take(hand) {
    const one = hand.pile.at(-1);
    return {
      ...hand, phase: hand.phase === "last_take" ? "last_knock" : "discard", pile: hand.pile.slice(0, -1),
      cards: add(hand.cards, hand.seat, one), took: add(hand.took, hand.seat, one), drawn: one, taken: true, takes: hand.takes + 1,
    };
  }

  function draw(hand) {
    const below = hand.rules.stock === "two-ended" && hand.seat === hand.dealer;
    const one = hand.deck[below ? hand.bottom - 1 : hand.top];
    const [top, bottom] = below ? [hand.top, hand.bottom - 1] : [hand.top + 1, hand.bottom];
    return { ...hand, phase: "discard", cards: add(hand.cards, hand.seat, one), top, bottom, drawn: one, taken: false };
  }

  function discard(hand, one) {
    const seat = hand.seat;
    const after = {
      ...hand, phase: "draw", seat: 1 - seat, cards: both(hand.cards, seat, without(hand.cards[seat], [one])),
      pile: [...hand.pile, one], threw: add(hand.threw, seat, one), drawn: null, taken: false,
    };
    if (after.bottom - after.top <= 2) return { ...after, phase: hand.rules.stock_out === "last_take" ? "last_take" : "over" };
    return after.takes >= hand.rules.max_takes ? { ...after, phase: "over" } : after;
  }

  function declaredMelds(declared) {
    const found = declared.find((part) => part.startsWith("melds="));
    return found ? found.slice(6).split(",").filter(Boolean).map(parse) : [];
  }

  function declaredOn(declared) {
    const found = declared.find((part) => part.startsWith("on="));
    return found ? found.slice(3).split(",").filter(Boolean).map((one) => [card(one.slice(0, 2)), Number(one.slice(2))]) : [];
  }

  function layDown(hand, held, melds, called) {
    const left = points(without(held, melds.flat()));
    const laid = { melds, on: [], left };
    return {
      ...hand, phase: "lay_off", seat: 1 - hand.seat, cards: both(hand.cards, hand.seat, held), called: called || (left ? "knock" : "gin"),
      laid: both(hand.laid, hand.seat, laid), drawn: null, taken: false,
    };
  }

  function layOff(hand, declared) {
    const [melds, on] = [declaredMelds(declared), declaredOn(declared)];
    const left = points(without(hand.cards[hand.seat], [...melds.flat(), ...on.map(([one]) => one)]));
    return { ...hand, phase: "over", laid: both(hand.laid, hand.seat, { melds, on, left }) };
  }

  const ACTS = {
    pass, take, draw,
    knock: (hand, [thrown, ...declared]) => {
      return layDown(hand, without(hand.cards[hand.seat], [card(thrown)]), declaredMelds(declared), null);
    },
    big_gin: (hand, declared) => layDown(hand, hand.cards[hand.seat], declaredMelds(declared), "big_gin"),
    lay_off: layOff,
  };

  /** Every state of a hand, from the deal to its end; `words[n]` leads from state n to the next. */
  function replay(played, rules) {
    const words = played.actions.split(" ").filter(Boolean);
    const states = [start(played, rules)];
    for (const word of words) states.push(play(states.at(-1), word));
    if (played.shown) states.push(shown(states.pop(), played.shown));
    return { words, states };
  }

  function shown(hand, laid) {
    const side = ([melds, on, left]) => ({ melds: melds.map((meld) => meld.map(card)), on: on.map(([one, to]) => [card(one), to]), left });
    return { ...hand, called: "showdown", laid: laid.map(side) };
  }

  // --- what a bot is asked and answers: the messages of arena/protocol

  const mayThrow = (hand) => without(sorted(hand.cards[hand.seat]), hand.taken && !hand.rules.return_taken ? [hand.drawn] : []);

  function mayKnock(hand, held, thrown) {
    return thrown.some((one) => least(without(held, [one])) <= hand.rules.knock_limit);
  }

  function may(hand) {
    const held = hand.cards[hand.seat];
    switch (hand.phase) {
      case "upcard": return ["pass", "take"];
      case "first_draw": return ["draw"];
      case "draw": return ["draw", "take"];
      case "lay_off": return ["lay_off"];
      case "last_take": return mayTakeToKnock(hand) ? ["pass", "take"] : ["pass"];
      case "discard": case "last_knock": return throwing(hand, held);
      default: return [];
    }
  }

  function throwing(hand, held) {
    const kinds = hand.phase === "discard" ? ["discard"] : [];
    if (mayKnock(hand, held, mayThrow(hand))) kinds.push("knock");
    if (hand.rules.big_gin_bonus !== null && least(held) === 0) kinds.push("big_gin");
    return kinds;
  }

  function mayTakeToKnock(hand) {
    const one = hand.pile.at(-1);
    const held = [...hand.cards[hand.seat], one];
    if (hand.rules.big_gin_bonus !== null && least(held) === 0) return true;
    return mayKnock(hand, held, hand.rules.return_taken ? held : without(held, [one]));
  }

  const mayLayOff = (hand) => hand.called === "knock" || (hand.called === "gin" && hand.rules.layoff_on_gin);

  /** The question to the seat that is to act; `at` tells where the match stands. */
  function question(hand, at) {
    const seat = hand.seat;
    const mine = (pair) => (seat === 0 ? pair : [pair[1], pair[0]]);
    const knocked = hand.phase === "lay_off" ? hand.laid[1 - seat] : null;
    const throws = hand.phase === "discard" || hand.phase === "last_knock";
    return {
      type: "turn", game: at.game, hand: at.hand, score: mine(at.score), games: mine(at.games), dealer: hand.dealer === seat,
      phase: hand.phase, may: may(hand), cards: names(hand.cards[seat]), may_discard: throws ? names(mayThrow(hand)) : [],
      drawn: hand.drawn === null ? null : name(hand.drawn), pile: hand.pile.map(name), stock: hand.bottom - hand.top,
      took: mine(hand.took).map((some) => names(new Set(some))), threw: mine(hand.threw).map((some) => names(new Set(some))),
      knocker: knocked && { melds: knocked.melds.map(names), deadwood: knocked.left, lay_offs: mayLayOff(hand) },
    };
  }

  /** The answer that a word of a transcript records, with all that was left to the referee. */
  function answer(word) {
    const [kind, ...declared] = word.split(":");
    if (kind === "knock") return { kind, card: declared[0], melds: declaredMelds(declared).map(names) };
    if (kind === "big_gin") return { kind, melds: declaredMelds(declared).map(names) };
    if (kind === "lay_off") {
      return { kind, melds: declaredMelds(declared).map(names), lay_offs: declaredOn(declared).map(([one, to]) => [name(one), to]) };
    }
    return ["pass", "take", "draw"].includes(kind) ? { kind } : { kind: "discard", card: word };
  }

  return { name, names, arrange, replay, question, answer, sorted, without };
})();
