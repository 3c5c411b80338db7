// A gin rummy player in JavaScript. It needs no memory: every turn holds all information.
// A card is its number 0..51, a rank in 0..12 and a suit in 0..3; cards are an array of them.
"use strict";

const RANKS = "A23456789TJQK";
const SUITS = "cdhs";
const EARLY = 4; // turns in which any knock is good
const LITTLE = 5; // points of deadwood with which a later knock is good

const number = (name) => SUITS.indexOf(name[1]) * 13 + RANKS.indexOf(name[0]);
const written = (card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)];
const value = (card) => Math.min((card % 13) + 1, 10);
const sum = (cards) => cards.reduce((points, card) => points + value(card), 0);
const without = (cards, gone) => cards.filter((card) => !gone.includes(card));

// Return every set and run of at least three among some cards, parts of longer ones included.
function melds(cards) {
  const found = [];
  for (let rank = 0; rank < 13; rank++) {
    const same = cards.filter((card) => card % 13 === rank);
    if (same.length >= 3) found.push(same);
    if (same.length === 4) for (const left of same) found.push(without(same, [left]));
  }
  for (const first of cards) {
    const run = [first];
    for (let next = first + 1; next % 13 !== 0 && cards.includes(next); next++) {
      run.push(next);
      if (run.length >= 3) found.push([...run]);
    }
  }
  return found;
}

// Return the least deadwood of some cards: every choice of melds in which no card is used twice.
function deadwood(cards, several = melds(cards)) {
  let least = sum(cards);
  several.forEach((meld, at) => {
    const rest = several.slice(at + 1).filter((other) => !other.some((card) => meld.includes(card)));
    least = Math.min(least, deadwood(without(cards, meld), rest));
  });
  return least;
}

// Return the cards whose place is not known: in the stock or with the opponent.
function unseen(turn) {
  const seen = [...turn.cards, ...turn.pile, ...turn.took[1]].map(number);
  return [...Array(52).keys()].filter((card) => !seen.includes(card));
}

// Return the number of live cards that would make a meld with some of these.
function outs(cards, live) {
  const now = deadwood(cards);
  return live.filter((card) => deadwood([...cards, card]) <= now).length;
}

// Would the upcard be in a meld?
function helps(turn) {
  const cards = turn.cards.map(number);
  return deadwood([...cards, number(turn.pile.at(-1))]) <= deadwood(cards);
}

// Discard the card that leaves least; among equals the one without which most live cards help.
function discard(turn) {
  if (turn.may.includes("big_gin")) return { kind: "big_gin" };
  const cards = turn.cards.map(number);
  const choices = turn.may_discard.map((name) => {
    const rest = without(cards, [number(name)]);
    return { name, rest, left: deadwood(rest) };
  });
  const least = Math.min(...choices.map((choice) => choice.left));
  const live = unseen(turn);
  const best = choices
    .filter((choice) => choice.left === least)
    .map((choice) => ({ ...choice, outs: outs(choice.rest, live) }))
    .reduce((one, other) => (other.outs > one.outs ? other : one));
  const early = turn.threw[0].length < EARLY;
  if (!turn.may.includes("knock")) return { kind: "discard", card: best.name };
  const note = `could knock with ${least}`; // the replay shows it; the opponent never sees it
  return { kind: early || least <= LITTLE ? "knock" : "discard", card: best.name, note };
}

const ANSWERS = {
  upcard: (turn) => ({ kind: helps(turn) ? "take" : "pass" }),
  first_draw: () => ({ kind: "draw" }),
  draw: (turn) => ({ kind: helps(turn) ? "take" : "draw" }),
  discard,
  last_take: (turn) => ({ kind: turn.may.includes("take") ? "take" : "pass" }),
  last_knock: (turn) => (turn.may.includes("big_gin") ? { kind: "big_gin" } : lastKnock(turn)),
  lay_off: () => ({ kind: "lay_off" }), // the referee lays the best melds
};

function lastKnock(turn) {
  const cards = turn.cards.map(number);
  const left = (name) => deadwood(without(cards, [number(name)]));
  return { kind: "knock", card: turn.may_discard.reduce((one, other) => (left(other) < left(one) ? other : one)) };
}

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

// A chunk of input may be a part of a line or several lines.
let buffered = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (buffered + text).split("\n");
  buffered = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === "hello") say({ type: "ready", protocol: 1, bot: "node-counter" });
    if (message.type === "turn") say(ANSWERS[message.phase](message));
    if (message.type === "bye") process.stdin.destroy();
  }
});
