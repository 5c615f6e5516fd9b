// Tempel des Schreckens on a page: view → SVG. No assets, no globals, no markup from outside that isn't escaped.
//
// draw(view, {legal, seat, highlight, names}) → string
//   view       proto-JSON of the View, names as in the .proto file (snake_case); values that are zero may be missing
//   legal      legal commands of the viewer's seat: their `targets` are ids in the drawing; may be left out
//   seat       the viewer's seat, 0 or nothing for spectators
//   highlight  ids to mark, for example of what just happened
//   names      seat → name to show instead of "Player 3"
// Ids: "seat-3" (a player's plate), "chamber-3-2" (slot 2 of player 3), "key" (the key card), "found-gold" … (the stacks).
// What a legal command targets is a button: role, tabindex and aria-label are set, class "legal" is for the page's style.
//
// tell(event, {names}) → string: a PublicEvent in one line, for the log.
// touches(event) → ids that an event speaks of, for marking; null: what was marked before lies elsewhere now.

const COLUMN = 196, GAP = 8, WIDTH = 2 * COLUMN + GAP, HEAD = 92, PANEL = 144, CARD = { width: 33, height: 46, gap: 3 };
const INK = "#2b2118", QUIET = "#6b5a48", SAND = "#f3e7d0", PAPER = "#fffaf0", STONE = "#5b4636", LINE = "#cdb890";
const FACES = {
  CHAMBER_EMPTY: { word: "empty", fill: "#d9d4cb", ink: "#4a443c" },
  CHAMBER_GOLD: { word: "gold", fill: "#f6c945", ink: "#5a4300" },
  CHAMBER_FIRE: { word: "fire", fill: "#e2553a", ink: "#ffffff" },
};
const ROLES = { ROLE_ADVENTURER: "adventurer", ROLE_GUARDIAN: "guardian" };
const TEAMS = { TEAM_ADVENTURERS: "adventurer", TEAM_GUARDIANS: "guardian" };
const ENDINGS = {
  END_REASON_ALL_GOLD: "All gold is found: the adventurers win.",
  END_REASON_ALL_FIRE: "All fire is revealed: the guardians win.",
  END_REASON_TIME_UP: "Four rounds are over: the guardians win.",
};
const KINDS = ["gold", "fire", "empty"];

const escape = (text) =>
  String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const attributes = (values) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => ` ${name}="${escape(value)}"`)
    .join("");
const tag = (name, values, ...inside) => `<${name}${attributes(values)}>${inside.join("")}</${name}>`;
const write = (x, y, text, more = {}) => tag("text", { x, y, fill: INK, "font-size": 13, ...more }, escape(text));
const a = (word) => `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
const number = (value) => Number(value ?? 0);
const known = (value) => value !== undefined && !String(value).endsWith("_UNSPECIFIED");

/** Cut a text to a number of characters; a <title> holds the whole. */
function short(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** What a board needs to know about one drawing. */
function context(view, { legal = [], seat = 0, highlight = [], names = {} } = {}) {
  const targets = new Map();
  for (const command of legal)
    for (const target of command.targets ?? [])
      if (!targets.has(target)) targets.set(target, command.label?.text || target);
  return { view, targets, seat: number(seat), marked: new Set(highlight), name: (who) => names[who] ?? `Player ${who}` };
}

/** The attributes of something that can be touched: a button where a legal command targets it, a picture elsewhere. */
function touchable(at, id, description) {
  const label = at.targets.get(id);
  return {
    id,
    class: [label && "legal", at.marked.has(id) && "highlight"].filter(Boolean).join(" ") || undefined,
    role: label ? "button" : "img",
    tabindex: label ? 0 : undefined,
    "aria-label": label ? `${label} (${description})` : description,
    cursor: label ? "pointer" : undefined,
  };
}

/** The frame around what may be clicked or has just changed. */
function frame(at, id, x, y, width, height, radius) {
  const stroke = at.marked.has(id) ? "#c2185b" : at.targets.has(id) ? "#1b7f5c" : undefined;
  if (!stroke) return "";
  return tag("rect", { x, y, width, height, rx: radius, fill: "none", stroke, "stroke-width": 2.5, "pointer-events": "none" });
}

function coin(x, y) {
  return tag("circle", { cx: x, cy: y, r: 9, fill: "#ffe08a", stroke: "#a87b00", "stroke-width": 2 }) +
    tag("circle", { cx: x, cy: y, r: 5, fill: "none", stroke: "#a87b00", "stroke-width": 1 });
}

function flame(x, y) {
  const path = `M${x} ${y - 12}c7 7 9 11 9 15a9 9 0 0 1-18 0c0-4 3-6 4-9 1 3 2 4 4 4-1-4-1-7 1-10z`;
  return tag("path", { d: path, fill: "#ffd34d", stroke: "#fff2c4", "stroke-width": 1 });
}

function key(x, y) {
  return tag("g", { id: "key", role: "img", "aria-label": "the key", fill: "none", stroke: "#b8860b", "stroke-width": 2.5 },
    tag("title", {}, "The Key Player chooses the next chamber"),
    tag("circle", { cx: x, cy: y, r: 5 }),
    tag("path", { d: `M${x + 5} ${y}h13v5m-5-5v4` }));
}

/** A chamber: its face where it is open, a door with the slot's number where it is face down. */
function chamber(at, owner, slot, face, secret, x, y) {
  const id = `chamber-${owner}-${slot}`;
  const open = known(face);
  const shown = FACES[open ? face : secret];
  const what = open ? shown.word : shown ? `face down, hides ${shown.word}` : "face down";
  const middle = x + CARD.width / 2;
  const inside = [tag("title", {}, escape(`${at.name(owner)}, chamber ${slot}: ${what}`))];
  const fill = open ? shown.fill : STONE;
  inside.push(tag("rect", { x, y, width: CARD.width, height: CARD.height, rx: 4, fill, stroke: INK, "stroke-width": 1 }));
  if (open) {
    if (shown.word === "gold") inside.push(coin(middle, y + 18));
    if (shown.word === "fire") inside.push(flame(middle, y + 18));
    inside.push(write(middle, y + 41, shown.word, { "text-anchor": "middle", "font-size": 10, fill: shown.ink }));
  } else {
    const arch = `M${x + 8} ${y + 38}v-20a8.5 8.5 0 0 1 17 0v20z`;
    inside.push(tag("path", { d: arch, fill: shown ? shown.fill : "#463528", stroke: LINE, "stroke-width": 1 }));
    inside.push(write(middle, y + 31, slot, { "text-anchor": "middle", "font-weight": 700, fill: shown ? shown.ink : SAND }));
  }
  inside.push(frame(at, id, x, y, CARD.width, CARD.height, 4), pointers(at, owner, slot, middle, y));
  return tag("g", touchable(at, id, `chamber ${slot} of ${at.name(owner)}, ${what}`), ...inside);
}

/** Who points at this chamber: numbers on its upper edge. */
function pointers(at, owner, slot, x, y) {
  const seats = (at.view.points ?? []).filter((p) => number(p.owner) === owner && number(p.slot) === slot).map((p) => p.seat);
  if (!seats.length) return "";
  return tag("rect", { x: x - 15, y: y - 6, width: 30, height: 13, rx: 6, fill: "#1d4e89", "pointer-events": "none" }) +
    write(x, y + 4, `☞ ${seats.join(" ")}`, { "text-anchor": "middle", "font-size": 10, fill: "#ffffff", "pointer-events": "none" });
}

/** What was said, in one or two parts: the team, the chambers. */
function said(claim) {
  const counts = KINDS.filter((kind) => claim[kind] !== undefined).map((kind) => `${claim[kind]} ${kind}`);
  return [known(claim.team) && a(TEAMS[claim.team]), counts.join(", ")].filter(Boolean);
}

/** The lines under a row: what is known, and what was said (in quotation marks: it may be false). */
function notes(at, player) {
  const { view } = at;
  const lines = [];
  const facts = [];
  if (known(player.role)) facts.push(a(ROLES[player.role]));
  if (player.resigned) facts.push("has resigned");
  if (facts.length) lines.push({ text: facts.join(", "), more: { "font-weight": 700 } });
  if (at.seat === player.seat && view.own) {
    const dealt = view.own.dealt;
    lines.push({ text: dealt ? `dealt: ${KINDS.map((kind) => `${number(dealt[kind])} ${kind}`).join(", ")}` : "what was dealt you must remember" });
  }
  const claim = (view.claims ?? []).find((some) => some.seat === player.seat && some.round === view.round);
  for (const words of claim ? said(claim) : []) lines.push({ text: `“${words}”`, more: { "font-style": "italic", fill: QUIET } });
  const row = (view.points ?? []).find((point) => point.seat === player.seat && !point.slot);
  if (row) lines.push({ text: `points at ${at.name(row.owner)}`, more: { fill: "#1d4e89" } });
  return lines.slice(0, 4);
}

function panel(at, player, x, y) {
  const { view } = at;
  const seat = player.seat, id = `seat-${seat}`, holds = seat === view.key_player && !known(view.ending);
  const you = seat === at.seat ? " (you)" : "";
  const border = { stroke: holds ? "#b8860b" : LINE, "stroke-width": holds ? 3 : 1 };
  const parts = [tag("rect", { x, y, width: COLUMN, height: PANEL, rx: 8, fill: PAPER, ...border })];
  const plate = tag("rect", { x: x + 3, y: y + 3, width: COLUMN - 6, height: 23, rx: 6, fill: you ? "#e7dcc0" : PAPER });
  const title = short(`${at.name(seat)}${you}`, holds ? 20 : 24);
  parts.push(tag("g", touchable(at, id, `${at.name(seat)}${you}, ${number(player.closed)} face down${holds ? ", Key Player" : ""}`),
    plate, write(x + 10, y + 20, title, { "font-size": 14, "font-weight": 700 }), frame(at, id, x + 3, y + 3, COLUMN - 6, 23, 6)));
  if (holds) parts.push(key(x + COLUMN - 30, y + 14));
  (player.row ?? []).forEach((face, index) => {
    const secret = view.hidden?.rows?.[seat - 1]?.chambers?.[index];
    parts.push(chamber(at, seat, index + 1, face, secret, x + 10 + index * (CARD.width + CARD.gap), y + 33));
  });
  notes(at, player).forEach(({ text, more }, line) =>
    parts.push(tag("g", {}, tag("title", {}, escape(text)), write(x + 10, y + 94 + 14 * line, short(text, 31), { "font-size": 12, ...more }))));
  return parts.join("");
}

function head(at) {
  const { view } = at;
  const over = known(view.ending);
  const parts = [
    write(4, 22, over ? ENDINGS[view.ending] : `Round ${number(view.round)} of ${number(view.rounds)}`, { "font-size": over ? 17 : 19, "font-weight": 700 }),
  ];
  if (!over) {
    const turn = view.key_player === at.seat ? "You have the key: open a chamber" : `${at.name(view.key_player)} has the key`;
    parts.push(write(WIDTH - 4, 22, `${number(view.openings_left)} to open`, { "text-anchor": "end", fill: QUIET }));
    parts.push(write(4, 84, turn, { "font-size": 14, fill: view.key_player === at.seat ? "#1b7f5c" : QUIET }));
  }
  KINDS.forEach((kind, index) => parts.push(found(view, kind, 4 + index * 132)));
  return parts.join("");
}

/** How much of a kind lies open: a bar, and the figures. */
function found(view, kind, x) {
  const face = FACES[`CHAMBER_${kind.toUpperCase()}`];
  const open = number(view.opened?.[kind]), all = number(view.chambers?.[kind]);
  const width = 128;
  return tag("g", { id: `found-${kind}`, role: "img", "aria-label": `${open} of ${all} ${kind} opened` },
    tag("rect", { x, y: 34, width, height: 28, rx: 6, fill: PAPER, stroke: LINE }),
    tag("rect", { x, y: 34, width: all ? (width * open) / all : 0, height: 28, rx: 6, fill: face.fill }),
    write(x + width / 2, 53, `${kind} ${open} / ${all}`, { "text-anchor": "middle", "font-weight": 700, "font-size": 14 }));
}

/** Draw the table. */
export function draw(view, options = {}) {
  const at = context(view, options);
  const players = view.players ?? [];
  const rows = Math.ceil(players.length / 2);
  const height = HEAD + rows * (PANEL + GAP);
  const panels = players.map((player, index) =>
    panel(at, player, (index % 2) * (COLUMN + GAP), HEAD + Math.floor(index / 2) * (PANEL + GAP)));
  const svg = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `-6 -2 ${WIDTH + 12} ${height + 2}`,
    width: "100%",
    role: "group",
    "aria-label": `Tempel des Schreckens, round ${number(view.round)} of ${number(view.rounds)}`,
    "font-family": "system-ui, sans-serif",
  };
  const ground = tag("rect", { x: -6, y: -2, width: WIDTH + 12, height: height + 2, rx: 10, fill: SAND });
  return tag("svg", svg, ground, head(at), ...panels);
}

const STORIES = {
  game_prepared: (e) => `A table for ${e.seats}: ${number(e.chambers?.gold)} gold and ${number(e.chambers?.fire)} fire are hidden.`,
  roles_dealt: (e) => `Roles are dealt${e.role_set_aside ? ", one card is set aside unseen" : ""}.` + (known(e.own_role) ? ` You are ${a(ROLES[e.own_role])}.` : ""),
  chambers_dealt: (e) => `Round ${e.round}: ${e.chambers_each} chambers each.` + (e.own ? ` You were dealt ${KINDS.map((kind) => `${number(e.own[kind])} ${kind}`).join(", ")}.` : ""),
  key_taken: (e, name) => `${name(e.seat)} takes the key.`,
  chamber_opened: (e, name) => `${name(e.by)} opens chamber ${e.slot} of ${name(e.owner)}${e.at_random ? " at random" : ""}: ${FACES[e.chamber].word}.`,
  claim_made: (e, name) => `${name(e.seat)} says: “${said(e).join(", ")}”.`,
  pointed_at: (e, name) => `${name(e.seat)} points at ${e.slot ? `chamber ${e.slot} of ` : ""}${name(e.owner)}.`,
  round_ended: (e) => `Round ${e.round} is over.`,
  seat_resigned: (e, name) => `${name(e.seat)} resigns.`,
  game_ended: (e) => ENDINGS[e.reason],
  roles_revealed: (e, name) => `Roles: ${(e.roles ?? []).map((role, index) => `${name(index + 1)} ${ROLES[role]}`).join(", ")}.`,
};

/** Tell a public event in one line; an empty text for one that this page doesn't know. Plain text: escape it for HTML. */
export function tell(event, { names = {} } = {}) {
  const kind = Object.keys(STORIES).find((some) => event[some]);
  return kind ? STORIES[kind](event[kind], (who) => names[who] ?? `Player ${who}`) : "";
}

/** A chamber that was opened is marked until cards are dealt anew. */
export function touches({ chamber_opened: opened, chambers_dealt: dealt }) {
  if (dealt) return null;
  return opened ? [`chamber-${opened.owner}-${opened.slot}`] : [];
}
