// The Warlock of Firetop Mountain on a page: the mountain from the board's data, sheets, rucksack and notebook as SVG.
//
// draw(view, {legal, seat, highlight, names, printed}) → the table; scene(view, …) → {title, drawing} while there is a fight or an offer;
// tell(event, {names}) → a line for the log; touches(event) → ids to mark. view is the View as proto-JSON (snake_case).
//
// Ids, as they stand in the targets of legal commands: c12_3, R_A, S2, X1 (a space on the map), seat-2, key-3 (a row of the
// notebook), card-T05 (a card of one's own); buttons that are drawn while they can be pressed: BUTTONS below, and those of a
// fight (attack, escape) or an offer (accept, decline) in its scene.

const CELL = 22, SIDE = 0, WIDE = 380, SHEET = 90, CARD = 32, KEY = 26;
/** As many characters of the widest usual font as a sheet has room for. */
const LINE_CHARACTERS = 52;
const INK = "#2b2118", QUIET = "#6b5a48", ROCK = "#4b4038", FLOOR = "#e9dcc0", PAPER = "#fffaf0", LINE = "#b9a27c", RED = "#b3402a", GREEN = "#1b7f5c", WATER = "#4f86a8";
const PIECES = { PIECE_RED: "#c0392b", PIECE_BLUE: "#2c6fb0", PIECE_GREEN: "#2e8b57", PIECE_YELLOW: "#d9a514", PIECE_WHITE: "#f5f5f5", PIECE_BLACK: "#222222" };
const DICE = "⚀⚁⚂⚃⚄⚅", KEYS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const BUTTONS = [
  ["adventurer", "Roll an adventurer"], ["no-adventurer", "Play no further one"], ["packing", "Pack provisions and gold"], ["die", "Roll to move"], ["provisions", "Eat"], ["no-challenge", "No challenge"], ["no-treasure", "Leave it"], ["keep-all", "Keep all"], ["encounter", "Answer the encounter"],
  ["river-ferry", "Ferry (3 gold)"], ["river-raft", "Raft (Luck)"], ["river-bridge", "Bridge"], ["spoils", "Spoils"], ["end-turn", "End the turn"],
  ...["red", "blue", "green", "yellow", "white", "black"].map((colour) => [`piece-${colour}`, `The ${colour} piece`]),
];
const ENDINGS = { END_REASON_CHEST_OPENED: "The chest is open", END_REASON_OPPONENTS_LEFT: "Nobody else is left", END_REASON_ROUND_LIMIT: "The mountain keeps its treasure: the last round is over" };
const WINDOWS = {
  SET_UP: "sets up", REBIRTH: "may send another adventurer", START: "begins the turn", CAGE: "is caged", CHALLENGE: "may make a Key Challenge", MOVE: "moves", ENCOUNTER: "deals with an encounter", FIGHT: "fights",
  CLAIM: "may take treasure", ARRIVAL: "has arrived", CHEST: "is at the chest", SPOILS: "takes spoils", FLIGHT: "flees", OVER: "is done",
};
/** What whoever is to decide may do, for who plays for the first time. */
const HINTS = {
  SET_UP: "Choose a piece, roll your scores, and pack provisions or gold.", START: "Roll to move. Before that you may eat, use cards, and trade with who is on your space.",
  MOVE: "Touch a green space: the move ends there. Or go on one space at a time.", CHALLENGE: "Touch a number in your notebook: everybody else shows you that Key Card, or a blank.",
  ARRIVAL: "You may trade with who is here, or fight; then end your turn.", CLAIM: "Touch the space you stand on to take what lies there, or leave it.", CHEST: "Three keys open the chest: put in one after the other.",
};
/** Titles of the cards of a content, and what views add: events name cards by id. */
const titles = new Map(), NOTHING = {};
let printedNow = NOTHING, boardNow = NOTHING;

const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const attributes = (values) => Object.entries(values).filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
const tag = (name, values, ...inside) => `<${name}${attributes(values)}>${inside.join("")}</${name}>`;
const write = (x, y, text, more = {}) => tag("text", { x, y, fill: INK, "font-size": 13, ...more }, escape(text));
const centred = (x, y, text, more = {}) => write(x, y, text, { "text-anchor": "middle", "pointer-events": "none", ...more });
const box = (x, y, width, height, more = {}) => tag("rect", { x, y, width, height, rx: 4, fill: PAPER, stroke: LINE, ...more });
const number = (value) => Number(value ?? 0);
const list = (value) => value ?? [];
const known = (value) => Boolean(value) && !String(value).endsWith("_UNSPECIFIED");
const last = (value, prefix) => String(value ?? "").replace(prefix, "");
const cut = (text, length) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);
const face = (card) => last(card, "KEY_CARD_");
const faces = (dice) => list(dice).map((die) => DICE[die - 1]).join("");

/** What a card is called; its keys stand in the title. */
function named(card) {
  if (!card?.id) return "a card";
  const title = list(card.numbers).length ? `${card.title} ${card.numbers.join("-")}` : card.title;
  titles.set(card.id, title);
  return title;
}

function context(seen, { legal = [], seat = 0, highlight = [], names = {}, printed = NOTHING } = {}) {
  const chosen = [printed, ...list(printed.options).filter(({ option }) => seen[option])];
  printedNow = { cards: chosen.flatMap(({ cards }) => list(cards)), encounters: chosen.flatMap(({ encounters }) => list(encounters)) };
  boardNow = list(printed.boards).find((one) => one.data_set === seen.data_set)?.board ?? seen.board ?? NOTHING;
  const view = { ...seen, board: boardNow };
  const targets = new Map(), note = (id, label) => targets.set(id, targets.has(id) ? "" : label);
  for (const command of legal) for (const target of list(command.targets)) note(target, command.label?.text ?? "");
  for (const command of legal) for (const { choices } of list(command.parameters)) for (const { id } of list(choices?.choices)) note(id, "");
  for (const card of printedNow.cards) named(card);
  for (const card of printedNow.encounters) titles.set(card.id, `the ${card.title}`);
  const height = number(view.board?.height) || 40, does = new Map();
  for (const { targets: ids, label } of legal) for (const id of list(ids)) if (label?.text) does.set(id, [...(does.get(id) ?? []), label.text]);
  return { view, targets, does, seat: number(seat), marked: new Set(highlight), rows: height, reconstructed: list(printed.reconstructed), name: (who) => names[who] ?? `Player ${who}` };
}

/** A label with names: "player 2" is seat 2. */
const called = (at) => (text) => text.replace(/\bplayer (\d+)\b/g, (words, seat) => at.name(seat));

const left = (x) => number(x) * CELL;
const top = (at, y, tall = 1) => (at.rows - number(y) - tall) * CELL;

/** Something with an id: framed where it can be touched or has just changed; what it is and what a touch does is said aloud. */
function place(at, id, what, [x, y, width, height], ...inside) {
  if (!what && !at.targets.has(id) && !at.marked.has(id)) return tag("g", { id }, ...inside);
  const said = [what, ...(at.does.get(id) ?? [])].filter(Boolean).map((text) => called(at)(text).replace(/\.$/, "")).join(". ") || placeName(at, id);
  const stroke = at.marked.has(id) ? "#c2185b" : at.targets.has(id) ? GREEN : undefined;
  const frame = stroke ? tag("rect", { x, y, width, height, rx: 4, fill: "none", stroke, "stroke-width": 3, "pointer-events": "none" }) : "";
  const glow = at.targets.has(id) ? tag("rect", { x, y, width, height, fill: "#8fe0b8", "fill-opacity": 0.28 }) : "";
  return tag("g", { id, role: "img", "aria-label": said, class: at.marked.has(id) ? "highlight" : undefined }, tag("title", {}, escape(said)), ...inside, glow, frame);
}

/** Buttons, as HTML: they wrap on a narrow screen. */
function buttons(at, entries) {
  const style = `display:inline-block;margin:0 8px 8px 0;padding:9px 14px;border-radius:8px;background:${GREEN};color:#ffffff;font-weight:700`;
  return entries.filter(([id]) => at.targets.has(id)).map(([id, text]) => tag("span", { id, style, "aria-label": at.targets.get(id) || text }, escape(text))).join("");
}

const SVG = { xmlns: "http://www.w3.org/2000/svg", role: "group", "font-family": "system-ui, sans-serif" };
const PANEL = `padding:10px;border-radius:10px;background:#f0e4cb;color:${INK}`;

/** Squares of a board, by id; those on two lines once. */
function squares(board) {
  const found = new Map();
  for (const line of list(board.passages)) {
    const [x1, y1, x2, y2] = [line.x1, line.y1, line.x2, line.y2].map(number), steps = Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1));
    for (let n = 0; n <= steps; n += 1) {
      const x = x1 + Math.sign(x2 - x1) * n, y = y1 + Math.sign(y2 - y1) * n;
      found.set(`c${x}_${y}`, [x, y]);
    }
  }
  return found;
}

function map(at) {
  const { board = {} } = at.view, width = (number(board.width) || 31) * CELL;
  const river = list(board.river).map((row) => tag("rect", { x: 0, y: top(at, row), width, height: CELL, fill: WATER }));
  const spots = [...squares(board)].map(([id, [x, y]]) => {
    const bank = id === board.south_bank ? "south bank" : id === board.north_bank ? "north bank" : id === board.entrance ? "Entrance" : "";
    return place(at, `${id}`, bank, [left(x), top(at, y), CELL, CELL], tag("rect", { x: left(x) + 1, y: top(at, y) + 1, width: CELL - 2, height: CELL - 2, fill: bank ? "#d7c48f" : FLOOR }), bank === "Entrance" ? centred(left(x) + 11, top(at, y) + 16, "▲") : "");
  });
  const doors = list(board.entrances).map((one) => {
    const south = one.id.startsWith("S");
    return place(at, `${one.id}`, `Secret Passage ${one.id}`, [left(one.x), top(at, one.y), CELL, CELL], tag("circle", { cx: left(one.x) + 11, cy: top(at, one.y) + 11, r: 10, fill: south ? "#8b6bb1" : "#3f8f8f", stroke: PAPER }), centred(left(one.x) + 11, top(at, one.y) + 15, one.id, { fill: "#ffffff", "font-size": 11 }));
  });
  const boxes = list(board.boxes).map((one) => {
    const card = last(list(at.view.maze).find(({ id }) => id === one.id)?.card, "MAZE_CARD_"), seen = known(card) ? card : "";
    return place(at, `${one.id}`, `maze box ${one.id} ${seen.toLowerCase()}`, [left(one.x), top(at, one.y), CELL, CELL], box(left(one.x) + 1, top(at, one.y) + 1, CELL - 2, CELL - 2, { fill: "#c9b6e4" }), centred(left(one.x) + 11, top(at, one.y) + 16, seen === "THROUGH" ? "↔" : seen === "DEAD_END" ? "✕" : "?"));
  });
  return tag("g", {}, tag("rect", { x: -4, y: -4, width: width + 8, height: at.rows * CELL + 8, rx: 8, fill: ROCK }), ...river, ...spots, ...doors, ...boxes, ...list(board.rooms).map((room) => chamber(at, room)), ...pieces(at), ...dropped(at));
}

function chamber(at, plan) {
  const room = list(at.view.rooms).find(({ id }) => id === plan.id) ?? {}, wide = number(plan.width) * CELL, tall = number(plan.height) * CELL;
  const x = left(plan.x), y = top(at, plan.y, number(plan.height)), met = room.encounter?.title;
  if (met) titles.set(room.encounter.id, `the ${met}`);
  const inside = [room.occupied && (room.face_up || met ? `☠ ${plan.title?.includes(met) ? "" : met ?? ""}`.trim() : "☠ ?"), list(room.treasures).length && `◆${list(room.treasures).length}`].filter(Boolean);
  const title = plan.title || last(plan.id, "R_"), said = [title, met && `${met} ${room.encounter.skill ? `SKILL ${room.encounter.skill} STAMINA ${number(room.encounter.stamina)}` : room.encounter.effect ?? ""}`, `${list(room.treasures).length} treasure`, room.last_leaver && `last left by ${at.name(room.last_leaver)}`].filter(Boolean).join(", ");
  const doors = list(plan.doors).map((door) => {
    const [dx, dy] = door.slice(1).split("_").map(Number), ox = left(dx) + 11, oy = top(at, dy) + 11;
    return tag("circle", { cx: Math.min(Math.max(ox, x), x + wide), cy: Math.min(Math.max(oy, y), y + tall), r: 4.5, fill: "#e2b93b", stroke: INK, "pointer-events": "none" });
  });
  const text = (line, words, more = {}) => centred(x + wide / 2, y + 12 + line * 12, cut(words, Math.floor(wide / 3.6)), { "font-size": Math.max(6.4, Math.min(10, (wide * 1.6) / words.length)), ...more });
  const name = title.replace(/^The /, ""), names = tall > CELL && name.length * 6 > wide ? name.split(" ") : [name];
  const lines = tall > CELL ? [...names, ...(names.length > 1 ? [inside.join(" ")] : inside)] : [[name, ...inside].join(" ")];
  return place(at, `${plan.id}`, said, [x, y, wide, tall], box(x, y, wide, tall, { fill: room.occupied ? "#d9b9a0" : "#d8cfb8", stroke: INK }), ...doors, ...lines.map((words, line) => text(line, words, { "font-weight": line < names.length ? 700 : 400 })));
}

/** What a space is called, as labels call it. */
function placeName({ view: { board = {} } }, id) {
  const rooms = list(board.rooms), room = rooms.find((one) => one.id === id), kept = { [board.entrance]: "the Entrance", [board.south_bank]: "the south bank", [board.north_bank]: "the north bank" };
  if (kept[id]) return kept[id];
  if (room) return room.title || `room ${last(id, "R_")}`;
  if (/^[SN]\d/.test(id)) return `Secret Passage ${id}`;
  const next = rooms.find(({ doors }) => list(doors).includes(id));
  return id.startsWith("c") ? `passage ${id.slice(1).replace("_", ", ")}${next ? ` (door of ${next.title || `room ${last(next.id, "R_")}`})` : ""}` : `maze box ${id}`;
}

/** The middle of a space on the map. */
function spot(at, id) {
  const { board = {} } = at.view, room = list(board.rooms).find((one) => one.id === id);
  if (room) return [left(room.x) + (number(room.width) * CELL) / 2, top(at, room.y, number(room.height)) + number(room.height) * CELL - 9];
  const other = [...list(board.entrances), ...list(board.boxes)].find((one) => one.id === id);
  const [x, y] = other ? [other.x, other.y] : squares(board).get(id) ?? [];
  return x === undefined ? undefined : [left(x) + 11, top(at, y) + 11];
}

function pieces(at) {
  const crowd = new Map();
  return list(at.view.players).filter((player) => player.adventurer?.place).map((player) => {
    const where = spot(at, player.adventurer.place), nth = crowd.get(player.adventurer.place) ?? 0;
    crowd.set(player.adventurer.place, nth + 1);
    if (!where) return "";
    const [x, y] = [where[0] + (nth % 3) * 9 - (nth ? 4 : 0), where[1] + Math.floor(nth / 3) * 9];
    const mine = number(player.seat) === at.seat;
    return tag("g", { "pointer-events": "none", class: mine ? "here" : undefined }, mine ? tag("circle", { cx: x, cy: y, r: 11.5, fill: "none", stroke: "#ffd34d", "stroke-width": 3 }) : "", piece(player, x, y));
  });
}

/** A player's piece, with the number of the seat. */
const piece = ({ seat, piece: colour }, x, y, more = {}) => tag("circle", { cx: x, cy: y, r: 9, fill: PIECES[colour] ?? "#888888", stroke: colour === "PIECE_WHITE" ? INK : PAPER, "stroke-width": 2, ...more })
  + centred(x, y + 4, seat, { "font-size": 11, "font-weight": 700, fill: ["PIECE_WHITE", "PIECE_YELLOW"].includes(colour) ? INK : "#ffffff" });

const dropped = (at) => [...new Set(list(at.view.items).map((item) => item.place))].map((id) => {
  const where = spot(at, id), count = list(at.view.items).filter((item) => item.place === id).length, room = list(at.view.board?.rooms).find((one) => one.id === id);
  const [x, y] = room ? [(number(room.width) * CELL) / 2 - 11, 6] : [7, -4];  // in a room: in its corner, beside what is written there
  return where ? centred(where[0] + x, where[1] + y, count > 1 ? `◆${count}` : "◆", { fill: room ? "#b8860b" : "#ffd34d", "font-size": 12, "font-weight": 700 }) : "";
});

function sheet(at, player, y) {
  const { adventurer: who = {} } = player, seat = number(player.seat), turn = number(at.view.turn?.seat) === seat && !known(at.view.ending), you = seat === at.seat ? " (you)" : "";
  const dead = !player.adventurer || player.dead, flags = [who.cursed && "cursed", who.caged && "caged", who.in_passage && "in a passage", number(who.misses_turns) && `misses ${who.misses_turns}`, player.stage === "STAGE_PASSIVE" && "has left"].filter(Boolean).join(", ");
  const figures = dead ? "no adventurer" : `SKILL ${number(player.attack) || number(who.skill)}  STAMINA ${number(who.stamina)}/${number(who.initial_stamina)}  LUCK ${number(who.luck)}/${number(who.initial_luck)}`;
  const where = dead || !who.place ? "" : placeName(at, who.place).replace(/ \(.*/, "");
  const goods = dead ? "" : `${number(who.gold)} gold, ${number(who.provisions)} provisions, ${number(who.lanterns)} lantern${number(who.lanterns) === 1 ? "" : "s"}`;
  const shown = list(player.rucksack).filter((slot) => slot.card && seat !== at.seat).map((slot) => named(slot.card)).join(", ");
  const some = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`, carries = `${some(list(player.rucksack).length, "card")}${shown ? `: ${shown}` : ""}; ${some(number(player.key_cards), "Key Card")}`;
  return place(at, `seat-${seat}`, `${at.name(seat)}${you}: ${[where, figures, goods, carries].filter(Boolean).join(". ")}`, [SIDE, y, WIDE - SIDE, 84], box(SIDE, y, WIDE - SIDE, 84, { fill: turn ? "#fff3c9" : PAPER, stroke: turn ? "#b8860b" : LINE, "stroke-width": turn ? 3 : 1 }),
    piece(player, SIDE + 15, y + 15, { stroke: INK }), write(SIDE + 32, y + 20, cut(`${at.name(seat)}${you}${who.name ? ` — ${who.name}` : ""}`, 28), { "font-size": 14, "font-weight": 700 }), write(WIDE - 8, y + 20, where, { "text-anchor": "end", fill: QUIET, "font-size": 12 }),
    write(SIDE + 10, y + 40, figures), write(SIDE + 10, y + 57, goods, { fill: QUIET, "font-size": 12 }), write(SIDE + 10, y + 74, cut(carries, LINE_CHARACTERS), { fill: QUIET, "font-size": 12 }), write(WIDE - 8, y + 57, flags, { "text-anchor": "end", fill: RED, "font-size": 12 }));
}

function rucksack(at, y) {
  const mine = list(at.view.players).find(({ seat }) => number(seat) === at.seat);
  if (!mine) return "";
  const cards = list(mine.rucksack).map((slot, index) => {
    const top = y + 22 + index * CARD, title = named(slot.card), tall = CARD - 2;
    return place(at, `card-${slot.card?.id ?? index}`, [title, slot.card?.effect].filter(Boolean).join(". "), [SIDE, top, WIDE - SIDE, tall], box(SIDE, top, WIDE - SIDE, tall, { fill: slot.shown ? "#e3ead2" : PAPER }), write(SIDE + 8, top + 20, cut(`${title}${slot.card?.effect ? `: ${slot.card.effect}` : ""}`, LINE_CHARACTERS), { "font-size": 12 }));
  });
  return write(SIDE, y + 14, `Your rucksack: ${cards.length} of 6`, { "font-weight": 700 }) + cards.join("");
}

/** What this seat has legally learnt: a cell for each key and player. ✔ holds it, ✕ doesn't. */
function notebook(at, y) {
  const { view } = at, { own, players } = view;
  if (!own) return "";
  const seats = list(players).map((player) => number(player.seat)), book = own.notebook ?? {}, mine = new Set(list(own.key_cards).map(face));
  const noted = (facts, seat, key) => list(facts).some((fact) => number(fact.seat) === seat && face(fact.card) === String(key));
  const holds = new Map(list(players).map((player) => [number(player.seat), number(player.key_cards)]));
  const seenOf = (seat) => list(book.seen).filter((fact) => number(fact.seat) === seat).length;
  const allSeen = (seat) => list(book.complete).map(number).includes(seat) || (view.key_cards_dealt && seenOf(seat) === holds.get(seat));
  const mark = (seat, key) => {
    if (seat === number(own.seat)) return mine.has(String(key)) ? "✔" : "✕";
    if (noted(book.seen, seat, key)) return "✔";
    return noted(book.lacks, seat, key) || allSeen(seat) ? "✕" : "";
  };
  const step = Math.min(44, (WIDE - SIDE - 84) / seats.length), column = (index) => SIDE + 38 + index * step;
  const rows = KEYS.map((key) => {
    const top = y + 40 + (key - 1) * KEY, marks = seats.map((seat) => mark(seat, key)), held = marks.includes("✔"), chest = held ? "✕" : marks.every((one) => one === "✕") ? "★" : "";
    const cells = [...marks, chest].map((one, index) => centred(column(index) + step / 2, top + 16, one, { fill: one === "✕" ? QUIET : GREEN, "font-weight": 700 }));
    return place(at, `key-${key}`, `Key ${key}: ${chest === "★" ? "in the chest" : held ? `held by ${seats.filter((_, index) => marks[index] === "✔").map(at.name).join(", ")}` : "not known"}`, [SIDE, top, WIDE - SIDE, KEY - 2], box(SIDE, top, WIDE - SIDE, KEY - 2, { fill: chest === "★" ? "#fff3c9" : PAPER }), centred(SIDE + 18, top + 16, key, { "font-weight": 700 }), ...cells);
  });
  const heads = [...seats.map((seat) => cut(seat === at.seat ? "you" : at.name(seat), 7)), "chest"].map((text, index) => centred(column(index) + step / 2, y + 34, text, { "font-size": 11, fill: QUIET }));
  return write(SIDE, y + 14, "Your notebook of Key Cards", { "font-weight": 700 }) + write(WIDE, y + 14, "✔ has it  ✕ hasn't  ★ in the chest", { "text-anchor": "end", fill: QUIET, "font-size": 11 }) + heads.join("") + rows.join("");
}

const claim = (said, name) => `key ${said.number} is${said.holds ? "" : " not"} ${number(said.owner) ? `with ${name(said.owner)}` : "in the chest"}`;

/** A list below the sheets; nothing where it is empty. */
const notes = (label, lines) => lines.length ? tag("ul", { "aria-label": label, style: `margin:8px 0 0;padding-left:18px;font-size:13px;color:${QUIET}` }, ...lines.map((text) => tag("li", { style: "margin:2px 0" }, escape(text)))) : "";

/** Which of the own Key Cards each of the others has been shown. */
function shownTo(at) {
  const facts = list(at.view.own?.notebook?.shown), seats = [...new Set(facts.map((fact) => number(fact.seat)))];
  return notes("Key Cards that you have shown", seats.map((seat) => `You have shown ${at.name(seat)}: ${facts.filter((fact) => number(fact.seat) === seat).map((fact) => face(fact.card)).join(", ")}`));
}

/** What was only said, apart from the grid: nothing of it is proven. */
function talk(at) {
  const book = at.view.own?.notebook ?? {}, when = (said) => `turn ${number(said.turn)}`;
  const lines = [
    ...list(book.heard).map((said) => `Said by ${at.name(said.seat)}, not proven: ${claim(said, at.name)} (${when(said)})`),
    ...list(book.told).map((said) => `You said to ${at.name(said.seat)}: ${claim(said, at.name)} (${when(said)})`),
  ];
  return notes("Said about keys, not proven", lines);
}

function headline(at) {
  const { view } = at, seat = number(view.window?.seat) || number(view.turn?.seat);
  if (known(view.ending)) return `${ENDINGS[view.ending]}${view.winner ? `: ${at.name(view.winner)} wins` : ""}.${list(view.chest).length ? ` The chest: ${view.chest.map(face).join(", ")}.` : ""}`;
  if (!number(view.turn?.round)) return "Before the first round: everybody creates an adventurer";
  const what = WINDOWS[last(view.window?.kind, "WINDOW_KIND_")] ?? "";
  return `Round ${number(view.turn?.round)}: ${at.name(seat)} ${what}${number(view.turn?.die) ? `, rolled ${DICE[view.turn.die - 1]}` : ""}${number(view.turn?.pips_left) ? `, ${view.turn.pips_left} left` : ""}`;
}

/** What the viewer may do now; nothing while others decide. */
function hint(at) {
  const text = at.targets.size ? HINTS[last(at.view.window?.kind, "WINDOW_KIND_")] ?? "" : "";
  return text && !at.view.offer && !at.view.leaving ? tag("p", { style: `margin:-4px 0 8px;color:${QUIET}` }, escape(text)) : "";
}

/** Draw the mountain, the sheets, and what the viewer's seat knows: side by side, or one below another on a narrow screen. */
export function draw(view, options = {}) {
  const at = context(view, options), wide = (number(at.view.board?.width) || 31) * CELL + 8, tall = at.rows * CELL + 8;
  const plan = tag("svg", { ...SVG, viewBox: `-4 -4 ${wide} ${tall}`, width: "100%", "data-min-width": 540, "aria-label": "Firetop Mountain" }, map(at));
  const head = tag("p", { style: "margin:0 0 8px;font-weight:700" }, escape(headline(at)));
  const signs = tag("p", { style: `margin:8px 0 0;font-size:12px;color:${QUIET}` }, "☠ somebody or something is in the room, ? nobody knows what · ◆ treasure · yellow dots: doors · S, N: entrances of the Secret Passages · purple: Maze Cards · numbered pieces: the players");
  const note = at.reconstructed.length ? tag("p", { style: `margin:8px 0 0;font-size:12px;color:${QUIET}` }, escape(`Reconstructed, not as printed in the box: ${at.reconstructed.join("; ")}.`)) : "";
  return tag("div", { style: `${PANEL};display:flex;flex-wrap:wrap;gap:10px;align-items:flex-start` }, tag("div", { style: "flex:1 1 100%;min-width:0" }, head, hint(at), buttons(at, BUTTONS)),
    tag("div", { class: "frame", style: "flex:2 1 540px;min-width:0" }, tag("div", { style: "min-width:clamp(540px,1150px - 100vw,760px)" }, plan)), tag("div", { style: "flex:1 1 270px;min-width:0" }, papers(at), shownTo(at), talk(at)), tag("div", { style: "flex:1 1 100%;min-width:0" }, signs, note));
}

/** Sheets, rucksack, notebook, and the last tries at the chest. */
function papers(at) {
  const players = list(at.view.players), mine = players.find(({ seat }) => number(seat) === at.seat), bag = players.length * SHEET + 6;
  const book = bag + (mine ? 36 + list(mine.rucksack).length * CARD : 0), end = book + (at.view.own ? 56 + KEYS.length * KEY : 0);
  const tries = list(at.view.chest_tries).map((one) => `${at.name(one.seat)} tried ${one.numbers.join("-")}: ${number(one.wrong)} wrong`).slice(-3);
  const lines = tries.map((text, line) => write(SIDE, end + 14 + line * 16, text, { "font-size": 12, fill: QUIET }));
  return tag("svg", { ...SVG, viewBox: `-5 -2 ${WIDE + 10} ${end + tries.length * 16 + 8}`, width: "100%", style: "max-height:none", "aria-label": "Sheets" }, ...players.map((player, index) => sheet(at, player, index * SHEET)), rucksack(at, bag), notebook(at, book), ...lines);
}

/** Some Key Cards to be shown; which ones, only the offerer knows. */
const shown = ({ key_cards: cards, shows }) => {
  const many = number(shows) + list(cards).length, which = list(cards).length ? ` (${list(cards).map(face).join(", ")})` : "";
  return many > 0 && `a look at ${many} Key Card${many === 1 ? "" : "s"}${which}`;
};
const goods = (bag = {}) => [...list(bag.cards).map((id) => titles.get(id) ?? "a card"), number(bag.gold) && `${bag.gold} gold`, number(bag.provisions) && `${bag.provisions} provisions`, bag.look && "a look at Key Cards", shown(bag)].filter(Boolean).join(", ") || "nothing";

/** A fight or an offer, while there is one. */
export function scene(view, options = {}) {
  const at = context(view, options), { fight, offer } = view;
  if (!fight && !offer) return undefined;
  const line = (...texts) => tag("p", { style: "margin:0 0 8px" }, ...texts.map((text) => escape(text)));
  const frame = (title, ...inside) => ({ title, drawing: tag("div", { role: "group", "aria-label": title, style: PANEL }, ...inside) });
  if (!fight) {
    return frame(`${at.name(offer.seat)} offers ${at.name(offer.to)} a trade`, line(`gives: ${goods(offer.give)}`), line(`wants: ${goods(offer.take)}`), buttons(at, [["accept", "Agree"], ["decline", "Decline"]]));
  }
  const mine = list(view.players).find(({ seat }) => number(seat) === number(fight.seat)) ?? {}, foe = number(fight.opponent) ? list(view.players).find(({ seat }) => number(seat) === number(fight.opponent)) : undefined;
  const other = foe ? at.name(fight.opponent) : creature(fight.encounter).replace(/^the /, "");
  const rolled = list(options.events).map((event) => event.attack_rolled).findLast(Boolean);
  const side = (name, skill, stamina, dice, total) => tag("div", { style: "flex:1 1 130px" }, tag("strong", {}, escape(name)), line(`SKILL ${skill}, STAMINA ${stamina}`), rolled ? throwOf(dice, total) : "");
  return frame(`${at.name(fight.seat)} against ${other}`,
    tag("div", { style: "display:flex;flex-wrap:wrap;gap:4px 16px" }, side(at.name(fight.seat), number(mine.attack), number(mine.adventurer?.stamina), rolled?.dice, rolled?.total), side(other, foe ? number(foe.attack) : number(fight.skill), foe ? number(foe.adventurer?.stamina) : number(fight.stamina), rolled?.opponent_dice, rolled?.opponent_total)),
    rolled ? line(verdict(at, rolled, other)) : "",
    line(`Rounds fought: ${number(fight.rounds)}`), buttons(at, [["attack", "Fight a round"], ["escape", "Escape"]]));
}

/** Two dice, large, and what they make. */
const throwOf = (dice, total) => tag("p", { style: "margin:0 0 8px" }, tag("span", { role: "img", "aria-label": list(dice).join(" and "), style: "font-size:34px;line-height:1" }, faces(dice)), escape(` + SKILL ${number(total) - list(dice).reduce((all, die) => all + die, 0)} = ${number(total)}`));
const verdict = (at, { seat, total, opponent_total: theirs }, other) => (number(total) === number(theirs) ? "Nobody is hit." : number(total) > number(theirs) ? `${at.name(seat)} hits.` : `${other} hits.`);

/** What an Encounter Card is called; the crocodile is none. */
const creature = (id) => !id ? "the creature" : titles.get(id) ?? `the ${last(id, "").charAt(0)}${last(id, "").slice(1).toLowerCase()}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** What a card says: the end of a sentence. */
const reads = (id) => {
  const effect = [...list(printedNow.encounters), ...list(printedNow.cards)].findLast((one) => one.id === id)?.effect;
  return effect ? `: ${effect}` : ".";
};
/** What two dice make with SKILL. */
const made = (dice, total) => `${faces(dice)} + SKILL ${number(total) - list(dice).reduce((all, die) => all + die, 0)} = ${number(total)}`;
const ROLLS = { BRIDGE: "for the bridge", CAGE: "to get out of the cage", EXIT: "for the way out of the Secret Passage", FIRE: "for the Hell Hound's fire", FOOL: "for the Fool's gold", PICKPOCKET: "for the Pickpocket", SHIELD: "for the Magic Shield" };
const by = (n) => (number(n) < 0 ? `loses ${-n}` : `gains ${number(n)}`);
const where = (id) => placeName({ view: { board: boardNow } }, id);
/** Cards by their titles; those that are face down are counted. */
function cardsOf({ cards }) {
  const titled = list(cards).map((id) => titles.get(id)).filter(Boolean), hidden = list(cards).length ? cards.length - titled.length : 1;
  return [...titled, hidden > 1 ? `${hidden} cards` : hidden && "a card"].filter(Boolean).join(", ");
}
const faceName = (card) => (card === "KEY_CARD_BLANK" ? "a blank" : face(card));
/** What the others showed, as far as the reader may know. */
function answers(e, name) {
  const told = list(e.answers).filter((one) => list(one.cards).length).map((one) => `${name(one.seat)} shows ${one.cards.map(faceName).join(", ")}`);
  return told.length ? `${told.join("; ")}.` : "The others show their cards.";
}
const STORIES = {
  game_created: (e) => `An expedition of ${e.seats} gathers at the Entrance.`,
  piece_chosen: (e, who) => `${who} takes the ${last(e.piece, "PIECE_").toLowerCase()} piece.`,
  character_rolled: (e, who) => `${who} rolls ${faces(e.dice)}: SKILL ${e.skill}, STAMINA ${e.stamina}, LUCK ${e.luck}.`,
  extras_taken: (e, who) => `${who} packs ${[number(e.provisions) && `${e.provisions} more provisions`, number(e.gold) && `${e.gold} gold`].filter(Boolean).join(" and ") || "nothing more"}.`,
  adventurer_reborn: (e, who) => `${who} sends another adventurer.`,
  key_cards_dealt: () => "The Key Cards are dealt.",
  start_player_chosen: (e, who) => `${who} begins.`,
  turn_missed: (e, who) => `${who} misses a turn.`, turn_forfeited: (e, who) => `${who} will miss a turn.`,
  provisions_eaten: (e, who) => `${who} eats.`,
  movement_rolled: (e, who) => `${who} rolls ${DICE[e.die - 1]} to move.`,
  moved: (e, who) => (list(e.path).length ? `${who} goes to ${where(e.path.at(-1))}.` : ""),
  challenge_made: (e, who) => `${who} challenges: who has key ${e.number}?`,
  challenge_answered: (e, who, name) => answers(e, name),
  encounter_revealed: (e, who) => `${who} meets ${creature(e.encounter)}${reads(e.encounter)}`,
  encounter_removed: (e) => `${capital(creature(e.encounter))} is gone.`,
  battle_started: (e, who, name) => `A fight: ${who} against ${e.opponent ? name(e.opponent) : `${creature(e.encounter)} (SKILL ${number(e.skill)}, STAMINA ${number(e.stamina)})`}.`,
  attack_rolled: (e, who, name) => `${who} ${made(e.dice, e.total)}; ${e.opponent ? name(e.opponent) : creature(e.encounter)} ${made(e.opponent_dice, e.opponent_total)}.${number(e.total) === number(e.opponent_total) ? " Nobody is hit." : ""}`,
  die_rolled: (e, who) => `${who} rolls ${DICE[e.die - 1]} ${ROLLS[last(e.kind, "DIE_KIND_")] ?? ""}.`,
  wounded: (e, who) => `${e.seat ? who : capital(creature(e.encounter))} is wounded: STAMINA ${number(e.stamina)}.`,
  monster_killed: (e, who) => `${who} has beaten ${creature(e.encounter)}.`,
  luck_tested: (e, who) => `${who} tests LUCK with ${faces(e.dice)}: ${e.lucky ? "lucky" : "unlucky"}.`,
  stamina_changed: (e, who) => `${who} ${by(e.by)} STAMINA.`, skill_changed: (e, who) => `${who} ${by(e.by)} SKILL.`,
  gold_changed: (e, who) => `${who} ${by(e.by)} gold.`, provisions_changed: (e, who) => `${who} ${by(e.by)} provisions.`,
  lantern_lost: (e, who) => `${who} loses a lantern.`, lantern_taken: (e, who, name) => `${who} takes the lantern of ${name(e.loser)}.`,
  escape_rolled: (e, who) => `${who} flees: ${DICE[e.die - 1]} on the Escape Table${e.penalty === "unharmed" ? ", unharmed" : ""}.`, escaped: (e, who) => `${who} escapes to ${where(e.to ?? "")}.`,
  spoils_taken: (e, who, name) => `${who} takes spoils of ${name(e.loser)}.`,
  treasure_claimed: (e, who) => `${who} claims ${cardsOf(e)}.`, treasure_picked_up: (e, who) => `${who} picks up ${cardsOf(e)}.`, treasure_revealed: (e, who) => `${who} shows ${titles.get(e.card) ?? e.card}${reads(e.card)}`, treasure_used: (e, who) => `${who} uses ${titles.get(e.card) ?? e.card}${reads(e.card)}`,
  treasure_left: (e, who) => `${who} leaves a card behind.`, treasure_stolen: (e, who) => `${who} loses ${cardsOf(e)}.`, grave_laid: (e, who) => `${who}'s treasure lies in ${where(e.place)}.`,
  trade_offered: (e, who, name) => `${who} offers ${name(e.to)} ${goods(e.give)} for ${goods(e.take)}.`, trade_declined: (e, who) => `${who} declines.`, trade_agreed: () => "Agreed.", gift_given: (e, who) => `${who} gets a gift.`,
  key_cards_shown: (e, who, name) => {
    const which = list(e.cards).length ? `: ${e.cards.map(faceName).join(", ")}` : "";
    return e.by_magic ? `${who} sees Key Cards of ${name(e.owner)}${which}.` : `${name(e.owner)} shows Key Cards to ${who}${which}.`;
  },
  claim_made: (e, who, name) => (number(e.number) ? `${who} tells ${name(e.to)}: ${claim(e, name)}.` : `${who} talks to ${name(e.to)}.`),
  passage_entered: (e, who) => `${who} steps into ${where(e.entrance)}.`, passage_left: (e, who) => `${who} comes out at ${e.entrance}.`,
  river_tried: (e, who) => `${who} tries the ${last(e.way, "RIVER_WAY_").toLowerCase()}.`, river_crossed: (e, who) => `${who} is across.`, fell_in_river: (e, who) => `${who} falls in: a crocodile!`,
  maze_approached: (e, who) => `${who} looks into the maze.`, maze_investigated: (e) => (e.card === "MAZE_CARD_THROUGH" ? "There is a way through." : "A dead end."),
  adventurer_caged: (e, who) => `${who} is caged.`, cage_opened: (e, who) => `${who} is free.`, adventurer_cursed: (e, who, name) => `${name(e.target || e.seat)} is cursed.`,
  adventurer_died: (e, who, name) => `${who}'s adventurer dies${e.killer ? ` by the hand of ${name(e.killer)}` : ""}.`,
  pvp_unlocked: () => "From now on adventurers may fight each other.",
  chest_key_named: (e, who) => `${who} puts in key ${e.number}.`, chest_answered: (e, who, name) => answers(e, name),
  chest_tried: (e, who) => (number(e.wrong) ? `${who} tried ${list(e.numbers).join("-")}: ${number(e.wrong)} wrong.` : ""), sent_to_south_bank: (e, who) => `${who} finds himself on the south bank.`,
  seat_became_passive: (e, who) => `${who} takes no further part.`,
  game_won: (e, who) => `${who} opens the chest with ${list(e.chest).map(face).join("-")}!`, game_ended: (e) => `${ENDINGS[e.reason] ?? "The game is over"}.`,
};

/** Tell a public event in one line; an empty text for what needs none. Plain text: escape it for HTML. */
export function tell(event, { names = {} } = {}) {
  const kind = Object.keys(STORIES).find((some) => event[some]), name = (who) => names[who] ?? `Player ${who}`;
  return kind ? STORIES[kind](event[kind], name(event[kind].seat), name) : "";
}

/** What an event speaks of: where somebody went, and who is changed. */
export function touches({ moved, wounded, encounter_revealed: met, turn_started: begun }) {
  if (begun) return null;
  if (moved) return list(moved.path).slice(-1);
  if (met) return [`${met.room}`];
  return wounded?.seat ? [`seat-${wounded.seat}`] : [];
}
