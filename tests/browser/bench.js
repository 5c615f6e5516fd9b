// A made-up game for the page's own modules: three dice, a sheet of squares, a map with a path, and a hand of cards.

import { board } from "/page/board.js";
import { chooser, drags, places } from "/page/chooser.js";
import { commandPanel } from "/page/commands.js";
import { scene } from "/page/scene.js";

const MOVE = "COMMAND_KIND_MOVE";
const entry = (text, targets, prototype, more = {}) => ({ label: { text }, targets, prototype, kind: MOVE, ...more });
const SQUARES = ["a1", "a2", "b1", "b2"];
const id = (one) => ({ id: one, label: { text: one } });

export const LEGAL = [
  ...[1, 2].flatMap((die) => [
    entry(`Throw die ${die} again`, [`die-${die}`], { reroll: { die } }),
    ...SQUARES.slice(0, 3).map((square) => entry(`Put die ${die} into ${square}`, [`die-${die}`, `square-${square}`], { place: { die, square } })),
  ]),
  entry("Put die 3 into b2", ["die-3", "square-b2"], { place: { die: 3, square: "b2" } }),
  entry("Go to the pass", ["space-pass"], { go: { path: ["pass"] } }),
  entry("Go over the pass to the hut", ["space-pass", "space-hut"], { go: { path: ["pass", "hut"] } }),
  entry("Go over the pass and the hut to the peak", ["space-pass", "space-hut", "space-peak"], { go: { path: ["pass", "hut", "peak"] } }),
  entry("Go through the gorge to the peak", ["space-gorge", "space-peak"], { go: { path: ["gorge", "peak"] } }),
  entry("Discard", [], { discard: {} }, { parameters: [{ path: "discard.cards", label: { text: "Cards" }, choices: { choices: ["card-fox", "card-owl", "card-elk"].map(id), minimum: 2, maximum: 2 } }] }),
  entry("Pay", [], { pay: {} }, { kind: "COMMAND_KIND_TRADE", parameters: [
    { path: "pay.coins", label: { text: "Coins" }, multiset: { items: [{ ...id("gold"), maximum: 2 }, { ...id("silver"), maximum: 3 }], minimum_sum: 3, maximum_sum: 4 } },
    { path: "pay.bid", label: { text: "Bid" }, range: { minimum: "1", maximum: "500" } },
  ] }),
  entry("Say something about the fox", ["card-fox"], { say: {} }, { kind: "COMMAND_KIND_TALK" }),
];

const box = (id, x, y, wide = 40) => `<g id="${id}"><rect x="${x}" y="${y}" width="${wide}" height="40" fill="#cdb890"/><text x="${x + 2}" y="${y + 25}" font-size="9">${id}</text></g>`;
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 260" data-min-width="600">
  ${[1, 2, 3].map((die) => box(`die-${die}`, die * 60, 10)).join("")}
  ${SQUARES.map((square, index) => box(`square-${square}`, 60 + (index % 2) * 60, 70 + (index >> 1) * 60)).join("")}
  ${["pass", "gorge", "hut", "peak"].map((space, index) => box(`space-${space}`, 240 + (index % 2) * 60, 70 + (index >> 1) * 60)).join("")}
  ${["fox", "owl", "elk"].map((card, index) => box(`card-${card}`, 60 + index * 60, 210)).join("")}</svg>`;

/** Put the game into the page; what is submitted is kept in `window.sent`. */
export function set() {
  window.sent = [];
  const submit = (_, command) => window.sent.push(command);
  const hands = { touch: (one, how) => choice.touch(one, how), drag: (from, to) => choice.drag(from, to) };
  const drawing = board(hands), stage = scene(hands), panel = commandPanel(submit, () => {});
  const choice = chooser({ boards: [stage.board, drawing], submit, changed: (entries) => panel.show(entries ?? LEGAL), signal: new AbortController().signal });
  document.querySelector("main").replaceChildren(stage.element, drawing.element, choice.element, panel.element);
  window.again = () => { drawing.show(DRAWING, places(LEGAL), drags(LEGAL)); choice.show(LEGAL); };
  window.fight = (drawn) => stage.show(drawn && { title: "A goblin!", drawing: drawn }, places(LEGAL), drags(LEGAL));
  window.again();
}
