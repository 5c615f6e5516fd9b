// Utopia Engine: Beast Hunter on a page: the adventure sheet as SVG. No assets, no globals, nothing unescaped from outside.
//
// draw(view, {legal, highlight}) → the sheet; scene(view, …) → {title, drawing} while something is under way (dice, a fight,
// a question): large enough for fingers on a phone, and what it has of the ids is touched there; tell(event) → a line for the
// log; touches(event) → ids to mark. view is the View as proto-JSON (snake_case, zeros may be missing).
//
// Ids, as they stand in the targets of legal commands (<r> a region, <t> a tower, in lower_snake):
//   region-<r>, box-<r>-2, square-<r>-2-top-1, lair-<r>, beast-<r>-4 (0: the Terrible Beast) · tower-<t>, cell-<t>-7 (a bare
//   number while boxes of an attacked tower are chosen) · field-1-top, equipment-<e>, refine · die-1, up, down, roll, accept,
//   undo · attack, escape, take_damage, enter, decline · item-<i>, material-<m>, elder-<e> · track, hp

const W = 1000, COLUMN = 326, GAP = 11, SCENE = 344, TALL = 44;
const INK = "#2b2118", QUIET = "#6b5a48", SAND = "#f0e4cb", PAPER = "#fffaf0", LINE = "#b9a27c", RED = "#b3402a", GREEN = "#1b7f5c";
const DICE = "⚀⚁⚂⚃⚄⚅";
const EVENTS = [["abundance", "Abundance", "#4f7a28"], ["sudden_clarity", "Clarity", "#1d5f8a"], ["foul_weather", "Foul weather", "#5b6470"], ["madness", "Madness", "#8a2f4a"]];
const DAYS = { DAY_SYMBOL_EVENT: "E", DAY_SYMBOL_ATTACK: "!", DAY_SYMBOL_SKULL: "☠" };
const ENDINGS = {
  END_REASON_DEATH: "The hunter is dead.", END_REASON_TRUST_LOST: "The villagers' trust is lost.", END_REASON_TIME_UP: "The regiment arrives: time is up.",
  END_REASON_VICTORY: "All three Terrible Beasts are dead: victory!", END_REASON_RESIGNED: "The hunter gave up.",
};
const APPROACH = { TOWER_EASTERN: "E", TOWER_SOUTHERN: "S", TOWER_SOUTH_WESTERN: "SW" };

const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const attributes = (values) => Object.entries(values).filter(([, value]) => value !== undefined && value !== false).map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
const tag = (name, values, ...inside) => `<${name}${attributes(values)}>${inside.join("")}</${name}>`;
const write = (x, y, text, more = {}) => tag("text", { x, y, fill: INK, "font-size": 13, ...more }, escape(text));
const middle = (x, y, text, more = {}) => write(x, y, text, { "text-anchor": "middle", ...more });
const box = (x, y, width, height, more = {}) => tag("rect", { x, y, width, height, rx: 5, fill: PAPER, stroke: LINE, ...more });
const number = (value) => Number(value ?? 0);
const list = (value) => value ?? [];
const known = (value) => Boolean(value) && !String(value).endsWith("_UNSPECIFIED");
const PREFIXES = /^(REGION|TOWER|MATERIAL|EQUIPMENT|ITEM|ELDER|NATURE|GRADE|ACTION|ROLL_PURPOSE)_/;
const low = (value) => String(value ?? "").replace(PREFIXES, "").toLowerCase();
const words = (value) => low(value).replaceAll("_", " ");
const title = (value) => words(value).replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
/** A text that is pressed together where it would be wider than its room. */
const fitted = (x, y, text, width, size, more = {}) => write(x, y, text, { "font-size": size, ...(text.length * size * 0.58 > width ? { textLength: width, lengthAdjust: "spacingAndGlyphs" } : {}), ...more });

function context(view, { legal = [], highlight = [] } = {}) {
  const targets = new Map();
  for (const command of legal) for (const target of list(command.targets)) targets.set(target, targets.has(target) ? "" : command.label?.text ?? "");
  for (const command of legal) for (const { choices } of list(command.parameters)) for (const { id } of list(choices?.choices)) targets.set(id, "");
  return { view, targets, marked: new Set(highlight), drawn: new Set(), elsewhere: new Set() };
}

/** Something with an id: framed where it can be touched or has just changed, and said aloud. */
function place(at, id, said, [x, y, width, height], ...inside) {
  if (at.elsewhere.has(id)) return inside.join("");
  at.drawn.add(id);
  const stroke = at.marked.has(id) ? "#c2185b" : at.targets.has(id) ? GREEN : undefined;
  const frame = stroke ? tag("rect", { x, y, width, height, rx: 5, fill: "none", stroke, "stroke-width": 2.5, "pointer-events": "none" }) : "";
  const hit = at.targets.has(id) ? tag("rect", { x, y, width, height, fill: "transparent" }) : "";
  return tag("g", { id, role: "img", "aria-label": said, class: at.marked.has(id) ? "highlight" : undefined }, tag("title", {}, escape(said)), hit, ...inside, frame);
}

/** A button that is there only while it can be pressed. */
function button(at, id, text, x, y, width) {
  at.drawn.add(id);
  return tag("g", { id, "aria-label": text }, box(x, y, width, TALL, { fill: GREEN, stroke: GREEN, rx: 9 }), middle(x + width / 2, y + TALL / 2 + 5, text, { fill: "#ffffff", "font-weight": 700, "font-size": 15 }));
}

/** Buttons in rows as wide as a scene; those that can't be pressed take no room. */
function buttons(at, y, entries) {
  let x = 0, bottom = y;
  const parts = entries.filter(([id]) => at.targets.has(id) && !at.drawn.has(id)).map(([id, text]) => {
    const width = Math.min(SCENE, 26 + text.length * 8.4);
    if (x && x + width > SCENE) { x = 0; y += TALL + 8; }
    const drawn = button(at, id, text, x, y, width);
    x += width + 8;
    bottom = y + TALL + 8;
    return drawn;
  });
  return { drawing: parts.join(""), bottom };
}

function meter(x, y, step, count, look) {
  return Array.from({ length: count }, (_, index) => {
    const { fill = PAPER, mark = "", stroke = LINE } = look(index + 1);
    return box(x + index * step, y, step - 3, 18, { rx: 3, fill, stroke }) + (mark && middle(x + index * step + (step - 3) / 2, y + 14, mark, { "font-size": 12 }));
  }).join("");
}

function head(at) {
  const { view } = at, crossed = number(view.days_crossed), over = known(view.ending);
  const day = over ? ENDINGS[view.ending] : `Day ${crossed + 1} of ${list(view.days).length}${known(view.action) ? `: ${words(view.action)}` : ""}`;
  const track = meter(0, 28, 38, list(view.days).length, (n) => ({ fill: n <= crossed ? "#d9c8a4" : PAPER, mark: n <= crossed ? "✕" : DAYS[view.days[n - 1]] ?? "", stroke: n === crossed + 1 && !over ? RED : LINE }));
  const hp = number(view.hit_points), most = number(view.max_hit_points), squares = number(view.hit_point_squares);
  const life = meter(600, 28, 24, squares, (n) => ({ fill: n > most ? INK : n <= hp ? "#d9604a" : PAPER, mark: n === 1 && hp < 1 ? "☠" : n > hp && n <= most ? "✕" : "" }));
  const dp = meter(860, 28, 23, number(view.determination_spaces), (n) => ({ fill: n <= number(view.determination) ? "#e2b93b" : PAPER }));
  const doubt = meter(0, 76, 29, number(view.doubt_spaces), (n) => ({ fill: n <= number(view.doubt) ? "#7a5aa0" : PAPER, mark: n === number(view.doubt_spaces) ? "☠" : "" }));
  const huts = meter(600, 76, 24, number(view.huts_total), (n) => ({ fill: PAPER, mark: n <= number(view.huts) ? "⌂" : "✕" }));
  return [
    write(0, 18, day, { "font-size": 17, "font-weight": 700 }), place(at, "track", `time track, ${crossed} days crossed out`, [-3, 22, 536, 30], track),
    write(600, 20, `Hit points ${hp} of ${most}`), place(at, "hp", `${hp} of ${most} hit points`, [597, 22, 244, 30], life),
    write(860, 20, `Determination ${number(view.determination)}`), place(at, "dp", `${number(view.determination)} determination points`, [857, 25, 142, 24], dp),
    write(0, 69, `Doubt ${number(view.doubt)} of ${number(view.doubt_spaces)}`), place(at, "doubt", `doubt ${number(view.doubt)}`, [-3, 73, 526, 24], doubt),
    write(600, 69, `Huts ${number(view.huts)} of ${number(view.huts_total)}`), place(at, "huts", `${number(view.huts)} huts stand`, [597, 73, 220, 24], huts),
    write(860, 69, `Score now`), write(860, 92, number(view.total), { "font-size": 20, "font-weight": 700 }),
  ].join("");
}

function die(at, n, { value, placed }, x, y) {
  const id = `die-${n}`;
  if (placed) return box(x, y, 44, 44, { fill: "none", "stroke-dasharray": "4 3" });
  return place(at, id, `die ${n}: ${value}`, [x, y, 44, 44], tag("rect", { x, y, width: 44, height: 44, rx: 8, fill: "#ffffff", stroke: INK, "stroke-width": 1.5 }), pips(value, x, y));
}

function pips(value, x, y) {
  const spots = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, 1], [-1, 1], [1, -1]], 5: [[-1, -1], [1, 1], [-1, 1], [1, -1], [0, 0]], 6: [[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, 0], [1, 0]] };
  return list(spots[value]).map(([right, down]) => tag("circle", { cx: x + 22 + right * 12, cy: y + 22 + down * 12, r: 4.2, fill: INK })).join("");
}

const dice = (at, x, y) => list(at.view.roll?.dice).map((one, index) => die(at, index + 1, one, x + index * 54, y)).join("");
const STEER = [["accept", "Use the roll"], ["up", "+1 (1 DP)"], ["down", "−1 (1 DP)"], ["item-luck_charm", "Luck charm"], ["undo", "Take back"]];
const HINTS = {
  WINDOW_DAY: "Spend the day: touch a region to search, a material and a tower to build, a piece of equipment to forge, or your hit points to rest.",
  WINDOW_SEARCH: "Touch a box to search, a lair to fight at, another region to travel to, an item, or the time track to end the day.",
};

function hint(at, y) {
  const text = HINTS[at.view.window] ?? (known(at.view.ending) ? "" : "What is under way stands above the sheet.");
  return [box(-4, y, W + 8, 34, { fill: "#e7d8b8" }), write(6, y + 22, text, { fill: INK, "font-size": 14 })].join("");
}

/** The six squares of a search box, of this size. */
function searchSquares(at, region, one, x, y, size) {
  const r = low(region.region), n = number(one.box);
  return ["top", "bottom"].flatMap((row, line) => [1, 2, 3].map((column) => {
    const value = number(list(one[row])[column - 1]), said = `${row} ${["hundreds", "tens", "ones"][column - 1]} of box ${n}: ${value || "empty"}`;
    return square(at, `square-${r}-${n}-${row}-${column}`, said, x + (column - 1) * (size + 3), y + line * (size + 3), size, value || "");
  })).join("");
}

function square(at, id, said, left, top, size, shown, more = {}) {
  return place(at, id, said, [left, top, size, size], box(left, top, size, size, { rx: 3, ...more }), shown ? middle(left + size / 2, top + size * 0.7, shown, { "font-size": Math.round(size * 0.6), "font-weight": 700 }) : "");
}

function searchBox(at, region, one, x, y) {
  const r = low(region.region), n = number(one.box), result = one.result === undefined ? "" : `= ${one.result}`;
  const fill = one.active ? "#fff3c9" : one.full ? "#e4d8bd" : PAPER;
  return place(at, `box-${r}-${n}`, `search box ${n} ${result} ${one.meaning ?? ""}`, [x, y, 101, 78], box(x, y, 101, 78, { fill }), searchSquares(at, region, one, x + 6, y + 4, 27),
    fitted(x + 5, y + 74, `${result} ${one.full ? (one.meaning ?? "").replace("encounter", "beast") : ""}`, 92, 11, { fill: one.full ? INK : QUIET }));
}

function beastLine(at, region, beast, x, y) {
  const level = number(beast.level), range = `${number(beast.attacks_to) > 1 ? "1–" : ""}${number(beast.attacks_to)}`;
  const yours = `${number(beast.hit_from) < 6 ? `${beast.hit_from}–` : ""}6`;
  const name = level ? `${level} ${beast.title}` : `TB ${beast.title}`, leaves = known(beast.material) ? `, ${words(beast.material)}` : "";
  const said = `${beast.title}: ${number(beast.hit_points_left)} of ${number(beast.hit_points)} hit points, attacks on ${range}, you on ${yours}${leaves}`;
  const dead = !level && region.defeated;
  return place(at, `beast-${low(region.region)}-${level}`, said, [x - 3, y - 16, COLUMN - 12, 24],
    fitted(x, y, name, 162, 12, { "text-decoration": dead ? "line-through" : undefined, "font-weight": level ? 400 : 700 }),
    write(x + 168, y, dead ? "defeated" : `♥ ${number(beast.hit_points_left)}`, { "font-size": 12 }), write(x + 203, y, dead ? "" : `bites ${range}`, { "font-size": 12, fill: RED }), write(x + 266, y, dead ? "" : `you ${yours}`, { "font-size": 12, fill: GREEN }));
}

function regionPanel(at, region, x, y) {
  const r = low(region.region), here = at.view.region === region.region && known(region.region);
  const badges = EVENTS.filter(([key]) => region[key]).map(([, name, fill], index) => box(x + 8 + index * 78, y + 41, 74, 17, { fill, stroke: fill, rx: 8 }) + middle(x + 45 + index * 78, y + 53.5, name, { fill: "#ffffff", "font-size": 10 }));
  const circles = Array.from({ length: number(region.circles) }, (_, index) => tag("circle", { cx: x + 16 + index * 22, cy: y + 77, r: 8, fill: index < number(region.tracked) ? "#8a4b1f" : PAPER, stroke: LINE })).join("");
  const lair = place(at, `lair-${r}`, region.lair_found ? "lair found" : "lair not found", [x + 80, y + 63, 104, 28], box(x + 80, y + 63, 104, 28, { fill: region.lair_found ? "#e2b93b" : PAPER }), middle(x + 132, y + 81, region.lair_found ? "✔ Lair found" : "Lair found", { "font-size": 12 }));
  const nature = known(region.nature) ? ` (${words(region.nature)})` : "";
  const faces = (to) => list(region.approach).flatMap((other, index) => (other === to ? [index + 1] : []));
  const ways = Object.entries(APPROACH).map(([to, name]) => [name, faces(to)]).filter(([, on]) => on.length).map(([name, on]) => `${name} ${on[0]}${on.length > 1 ? `–${on.at(-1)}` : ""}`).join(" · ");
  return [
    box(x, y, COLUMN, 396, { fill: here ? "#fff3d6" : "#faf1de", "stroke-width": here ? 3 : 1, stroke: here ? "#8a4b1f" : LINE }),
    place(at, `region-${r}`, `${region.title}: ${words(region.common)}, ${words(region.rare)}`, [x + 3, y + 3, COLUMN - 6, 34], box(x + 3, y + 3, COLUMN - 6, 34, { fill: "#e7d8b8" }), write(x + 10, y + 25, region.title, { "font-size": 15, "font-weight": 700 }), write(x + COLUMN - 10, y + 25, `${words(region.common)} · ${words(region.rare)}`, { "text-anchor": "end", fill: QUIET })),
    ...badges, circles, lair, write(x + COLUMN - 8, y + 81, ways, { "text-anchor": "end", "font-size": 11, fill: QUIET }),
    ...list(region.boxes).map((one, index) => searchBox(at, region, one, x + 6 + (index % 3) * 106, y + 97 + Math.floor(index / 3) * 84)),
    ...list(region.beasts).map((beast, index) => beastLine(at, region, number(beast.level) ? beast : { ...beast, title: beast.title + nature }, x + 8, y + 286 + index * 25)),
  ].join("");
}

const attacked = (view, tower) => view.window === "WINDOW_TOWER_DAMAGE" && view.sheet?.night?.direction === tower.tower;

/** The squares of a tower's grid, of this size. */
function gridSquares(at, tower, x, y, size) {
  const t = low(tower.tower), chosen = attacked(at.view, tower);
  return list(tower.cells).map((cell) => {
    const left = x + (number(cell.column) - 1) * (size + 2), top = y + (number(cell.row) - 1) * (size + 2), shown = cell.fault ? "✕" : number(cell.value) || "";
    return square(at, chosen ? String(cell.cell) : `cell-${t}-${cell.cell}`, `square ${cell.cell} of the ${tower.title}: ${shown || "empty"}`, left, top, size, shown, cell.fault ? { fill: "#e7b7a8" } : {});
  }).join("");
}

function towerPanel(at, tower, x, y) {
  const state = tower.standing ? `stands, ${number(tower.faults)} ✕${tower.totem ? ", totem" : ""}` : tower.active ? "being built" : "not built";
  const name = place(at, `tower-${low(tower.tower)}`, `${tower.title}, ${state}`, [x + 2, y + 2, 142, 38], fitted(x + 8, y + 18, tower.title, 130, 12, { "font-weight": 700 }), write(x + 8, y + 34, state, { "font-size": 11, fill: tower.standing ? GREEN : QUIET }));
  return box(x, y, 146, 278, { fill: tower.active ? "#fff3c9" : tower.standing ? "#e3ead2" : "#faf1de" }) + name + gridSquares(at, tower, x + 14, y + 44, 25);
}

/** The refining field: three boxes with squares of this size, each with its result. */
function field(at, bench, x, y, size) {
  return list(bench.boxes).map((one, index) => {
    const left = x + index * (size * 2 + 24), middleOf = [left + size + 18, y + size + 2];
    const half = (row, top) => square(at, `field-${one.box}-${row}`, `${row} of field box ${one.box}: ${number(one[row]) || "empty"}`, left, top, size, number(one[row]) || "");
    return half("top", y) + half("bottom", y + size + 3) + tag("circle", { cx: middleOf[0], cy: middleOf[1], r: 15, fill: PAPER, stroke: LINE }) + middle(middleOf[0], middleOf[1] + 5, one.result ?? "", { "font-weight": 700 });
  }).join("");
}

function workbench(at, x, y) {
  const { view } = at, bench = view.workbench ?? {};
  const refined = bench.refined_value === undefined ? "" : `refined value ${bench.refined_value}`;
  const pieces = list(view.equipment).map((one, index) => {
    const top = y + 100 + index * 58, grade = known(one.grade) ? words(one.grade) : `takes ${words(one.material)}`;
    return place(at, `equipment-${low(one.equipment)}`, `${one.title}: ${grade}. ${one.standard ?? ""} Mastercraft: ${one.mastercraft ?? ""}`, [x + 6, top, 278, 51], box(x + 6, top, 278, 51, { fill: known(one.grade) ? "#e3ead2" : PAPER }),
      write(x + 12, top + 16, one.title, { "font-weight": 700 }), write(x + 278, top + 16, grade, { "text-anchor": "end", "font-size": 12, fill: known(one.grade) ? GREEN : QUIET }), fitted(x + 12, top + 31, one.standard ?? "", 266, 11), fitted(x + 12, top + 45, `★ ${one.mastercraft ?? ""}`, 266, 11));
  });
  const name = known(bench.equipment) ? `Workbench: ${title(bench.equipment)}` : "Workbench";
  return box(x, y, 290, 278, { fill: known(bench.equipment) ? "#fff3c9" : "#faf1de" }) + fitted(x + 8, y + 18, name, refined ? 165 : 270, 13, { "font-weight": 700 }) + write(x + 282, y + 18, refined, { "text-anchor": "end", "font-size": 12 }) + field(at, bench, x + 14, y + 28, 31) + pieces.join("");
}

function items(at, x, y) {
  const lines = list(at.view.items).map((one, index) => {
    const top = y + 24 + index * 25, id = `item-${low(one.item)}`, left = number(one.uses_left);
    const state = one.toolbelt ? (left ? "ready" : "used") : left ? (number(one.uses) > 1 ? `ready ×${left}` : "ready") : `${words(one.common)} + ${words(one.beast)}`;
    const inside = [box(x + 6, top, 224, 23, { fill: left ? "#e3ead2" : PAPER }), write(x + 11, top + 15, one.title, { "font-size": 12, "font-weight": left ? 700 : 400 }), write(x + 226, top + 15, state, { "text-anchor": "end", "font-size": 11, fill: left ? GREEN : QUIET })];
    return place(at, id, `${one.title}, ${state}: ${one.effect ?? ""}`, [x + 6, top, 224, 23], ...inside);
  });
  return box(x, y, 236, 278, { fill: "#faf1de" }) + write(x + 8, y + 17, "Toolbelt and crafted items", { "font-weight": 700 }) + lines.join("");
}

function stores(at, y) {
  const cells = list(at.view.stores).map((one, index) => {
    const x = (index % 7) * 104, top = y + 22 + Math.floor(index / 7) * 44, count = number(one.count);
    const dots = Array.from({ length: number(one.circles) }, (_, spot) => tag("circle", { cx: x + 12 + spot * 16, cy: top + 28, r: 6, fill: spot < count ? "#8a4b1f" : PAPER, stroke: LINE })).join("");
    return place(at, `material-${low(one.material)}`, `${one.title}: ${count} of ${number(one.circles)}`, [x, top, 100, 40], box(x, top, 100, 40), write(x + 6, top + 15, one.title, { "font-size": 11 }), dots);
  });
  const elders = list(at.view.elders).map((one, index) => {
    const top = y + 22 + index * 30;
    return place(at, `elder-${low(one.elder)}`, `${one.title}: ${one.reward ?? ""}${one.approved ? ", approves" : ""}`, [742, top, 258, 27], box(742, top, 258, 27, { fill: one.approved ? "#e3ead2" : PAPER }), fitted(750, top + 18, `${one.approved ? "✔ " : ""}${one.title}: ${one.reward ?? ""}`, 242, 12));
  });
  const note = at.view.reconstructed ? write(52, y + 14, "The number of circles is a reconstruction: the printed sheet's wasn't seen.", { fill: QUIET, "font-size": 11 }) : "";
  return write(0, y + 14, "Stores", { "font-weight": 700 }) + note + write(742, y + 14, "Elders", { "font-weight": 700 }) + cells.join("") + elders.join("");
}

function score(at, y) {
  const { view } = at;
  const lines = list(view.score).map((line, index) => {
    const x = (index % 3) * 334, top = y + 36 + Math.floor(index / 3) * 22;
    return write(x + 4, top, `${line.title}: ${number(line.count)} × ${number(line.each)}`, { "font-size": 12 }) + write(x + 318, top, number(line.points), { "text-anchor": "end", "font-weight": 700 });
  });
  const heading = known(view.ending) ? `Score sheet: ${number(view.total)} points` : `Score sheet (now ${number(view.total)}; bonuses count after a win)`;
  const end = known(view.ending) ? fitted(4, y + 120, view.epilogue ?? "", W - 8, 13, { "font-style": "italic" }) : "";
  return place(at, "score", heading, [-4, y - 4, W + 8, 130], write(4, y + 12, heading, { "font-weight": 700 }), ...lines, end);
}

/** Draw the adventure sheet. What a scene has of the ids isn't touched here. */
export function draw(view, options = {}) {
  const at = context(view, options), height = 1060;
  at.elsewhere = staged(view, options)?.at.drawn ?? at.elsewhere;
  const svg = { xmlns: "http://www.w3.org/2000/svg", viewBox: `-10 -6 ${W + 20} ${height + 12}`, width: "100%", "data-min-width": 900, role: "group", "aria-label": `Adventure sheet, day ${number(view.days_crossed) + 1}`, "font-family": "system-ui, sans-serif" };
  return tag("svg", svg, tag("rect", { x: -10, y: -6, width: W + 20, height: height + 12, rx: 10, fill: SAND }), head(at), hint(at, 106),
    ...list(view.regions).map((region, index) => regionPanel(at, region, index * (COLUMN + GAP), 150)),
    ...list(view.towers).map((tower, index) => towerPanel(at, tower, index * 153, 556)), workbench(at, 463, 556), items(at, 764, 556), stores(at, 844), score(at, 964));
}

const ROLL = ["roll", "Roll the dice"];
const BLOWS = [["item-balance_blade", "Balance blade"], ["item-firebox", "Firebox"]];

/** The beast that is fought: its hit points and ranges. Everything from the top of the scene to `bottom`. */
function fighting(at) {
  const { view } = at, fight = view.combat;
  const yours = `${number(fight.hit_from) < 6 ? `${fight.hit_from}–` : ""}6`, theirs = `${number(fight.attacks_to) > 1 ? "1–" : ""}${number(fight.attacks_to)}`;
  const notes = [known(fight.nature) && words(fight.nature), fight.ambush && "ambush", number(fight.damage_ignored_rolls) && `its damage is ignored for ${fight.damage_ignored_rolls} rolls`, number(fight.no_damage_rolls) && `you deal nothing for ${fight.no_damage_rolls} rolls`].filter(Boolean).join(", ");
  const last = list(fight.dice).map((face) => DICE[face - 1]).join(" ");
  return { bottom: 92, drawing: [
    write(0, 14, `${fight.title}: ${number(fight.hit_points_left)} of ${number(fight.hit_points)} hit points`, { "font-weight": 700, "font-size": 15 }),
    meter(0, 22, 26, number(fight.hit_points), (n) => ({ fill: n <= number(fight.hit_points_left) ? RED : PAPER })),
    last && !list(view.roll?.dice).length ? write(SCENE, 40, last, { "text-anchor": "end", "font-size": 26 }) : "",
    write(0, 60, `It hits on ${theirs}, you on ${yours}. You have ${number(view.hit_points)} hit points.`, { "font-size": 14 }),
    number(fight.threat) ? write(0, 80, `${fight.threat} damage is coming.`, { fill: RED, "font-weight": 700, "font-size": 14 }) : fitted(0, 80, notes, SCENE, 14, { fill: QUIET }),
  ].join("") };
}

/** What the dice go into: a search box, a grid, the refining field; from `y` on. */
function receiving(at, y) {
  const { view } = at, tower = list(view.towers).find((one) => one.active || attacked(view, one));
  const region = list(view.regions).find((one) => one.region === view.region), searched = list(region?.boxes).find((one) => one.active);
  if (searched) {
    const result = searched.result === undefined ? "" : `= ${searched.result}`;
    return { bottom: y + 104, drawing: searchSquares(at, region, searched, 0, y, 46) + write(170, y + 56, result, { "font-size": 26, "font-weight": 700 }) };
  }
  if (tower) return { bottom: y + number(tower.rows) * 38 + 8, drawing: gridSquares(at, tower, 0, y, 36) + (tower.active ? payment(at, 180, y) : "") };
  if (known(view.workbench?.equipment)) return { bottom: y + 104, drawing: field(at, view.workbench, 0, y, 46) };
  return { bottom: y, drawing: "" };
}

/** Common materials, where one is to be touched to pay with. */
const payment = (at, x, y) => list(at.view.stores).map((one) => [`material-${low(one.material)}`, one]).filter(([id]) => at.targets.has(id)).map(([id, one], index) =>
  place(at, id, `pay with ${one.title}`, [x, y + index * 52, 150, TALL], box(x, y + index * 52, 150, TALL), write(x + 12, y + index * 52 + 27, `pay ${one.title} (${number(one.count)})`, { "font-size": 15 }))).join("");

/** What can be found or who can be chosen, one below the other. */
function choosing(at, y) {
  const { view } = at;
  const found = view.window === "WINDOW_FIND" ? list(view.stores).map((one) => [`material-${low(one.material)}`, one.title]) : [];
  const elders = view.window === "WINDOW_ELDER" ? list(view.elders).map((one) => [`elder-${low(one.elder)}`, `${one.title}: ${one.reward ?? ""}`]) : [];
  const used = view.window === "WINDOW_ELDER" ? list(view.items).map((one) => [`item-${low(one.item)}`, one.title]) : [];
  const entries = [...found, ...elders, ...used].filter(([id]) => at.targets.has(id));
  const rows = entries.map(([id, text], index) => place(at, id, text, [0, y + index * 52, SCENE, TALL], box(0, y + index * 52, SCENE, TALL), fitted(12, y + index * 52 + 27, text, SCENE - 24, 15)));
  return { bottom: y + rows.length * 52, drawing: rows.join("") };
}

const QUESTIONS = {
  WINDOW_FIND: "What do you find?", WINDOW_ELDER: "Whose approval do you gain?", WINDOW_FIGHT_OFFER: "The lair is found: fight the Terrible Beast now?",
  WINDOW_REFINE: "The field is full: refine it?", WINDOW_TOWER_DAMAGE: "Choose the squares that are damaged",
};

/** What is under way, drawn for a narrow page: with what has its ids there. */
function staged(view, options) {
  const count = list(view.roll?.dice).length, asked = QUESTIONS[view.window];
  if (!view.combat && !count && !asked && view.window !== "WINDOW_NEXT_ROLL") return undefined;
  const at = context(view, options), parts = [], fight = view.combat && fighting(at);
  let y = fight ? fight.bottom : 0;
  if (fight) parts.push(fight.drawing);
  if (count) { parts.push(dice(at, 0, y)); y += 54; }
  for (const part of fight ? [choosing] : [receiving, choosing]) {
    const { drawing, bottom } = part(at, y);
    parts.push(drawing);
    y = bottom;
  }
  const below = buttons(at, y, [["attack", "Attack"], ["escape", "Escape"], ["take_damage", "Take the damage"], ROLL, ["enter", "Fight it"], ["decline", "Don't fight now"], ["refine", "Finish forging"], ...STEER,
    ...(fight ? [...BLOWS, ["item-crab_plate", "Crab plate"], ["item-optic_disruptor", "Optic disruptor"]] : [])]);
  parts.push(below.drawing);
  y = below.bottom;
  for (const { title: name, ways, of } of list(view.odds)) { y += 16; parts.push(write(0, y - 4, `${name}: ${number(ways)} of ${of}`, { fill: QUIET })); }
  return { at, parts, height: y + 6, name: fight ? `Combat in ${title(view.combat.region)}` : asked ?? (count ? `Dice for: ${words(view.roll.purpose)}` : "Roll the dice") };
}

/** What is under way: a fight, dice and what they go into, a question. */
export function scene(view, options = {}) {
  const stage = staged(view, options);
  if (!stage) return undefined;
  const svg = { xmlns: "http://www.w3.org/2000/svg", viewBox: `-8 -8 ${SCENE + 16} ${stage.height + 16}`, width: "100%", "data-max-width": 520, role: "group", "aria-label": stage.name, "font-family": "system-ui, sans-serif" };
  return { title: stage.name, drawing: tag("svg", svg, box(-8, -8, SCENE + 16, stage.height + 16, { fill: SAND }), ...stage.parts) };
}

const faces = (values) => list(values).map((face) => DICE[face - 1]).join(" ");
const points = (count, what) => `${number(count)} ${what}${number(count) === 1 ? "" : "s"}`;
const STORIES = {
  game_started: () => "A blank adventure sheet is taken.",
  day_action_chosen: (e) => `The day goes to: ${Object.values(e).map(words).join(" ")}.`,
  search_started: (e) => `A search in ${title(e.region)}, box ${e.box}.`,
  search_spent_on_lair: (e) => `To the lair in ${title(e.region)}.`,
  quick_travelled: (e) => `Quick search: on to ${title(e.region)}.`,
  search_day_ended: () => "The search is over for today.",
  dice_rolled: (e) => `${title(e.purpose)}: ${faces(e.values)}.`,
  die_adjusted: (e) => `Determination makes die ${e.die} a ${DICE[e.value - 1]}.`,
  dice_rerolled: (e) => `Luck charm: ${faces(e.values)}.`,
  placement_undone: () => "A placement is taken back.",
  search_resolved: (e) => `${number(e.top)} − ${number(e.bottom)} = ${number(e.result)}.`,
  material_gained: (e) => `+${e.amount} ${words(e.material)}.`,
  material_discarded: (e) => `${e.amount} ${words(e.material)} finds no room.`,
  material_spent: (e) => `−${e.amount} ${words(e.material)}.`,
  circle_tracked: (e) => `A tracking circle in ${title(e.region)}: ${e.circles}.`,
  lair_found: (e) => `The lair in ${title(e.region)} is found!`,
  determination_gained: (e) => `+${points(e.amount, "determination point")}.`,
  fight_offered: (e) => `The Terrible Beast of ${title(e.region)} is near${e.ambush ? ", and unaware" : ""}.`,
  encounter_level_set: (e) => `A beast of level ${e.level}.`,
  combat_started: (e) => `Combat in ${title(e.region)}: ${number(e.level) ? `level ${e.level}` : "the Terrible Beast"}, ${points(e.hit_points, "hit point")}.`,
  nature_revealed: (e) => `It is ${words(e.nature)}.`,
  damage_dealt: (e) => `The beast takes ${number(e.amount)}.`,
  critical_scored: () => "A critical hit!",
  damage_prevented: (e) => `The crab plate ignores ${number(e.amount)}.`,
  damage_taken: (e) => `You take ${number(e.amount)}: ${points(e.hit_points, "hit point")} left.`,
  grievous_taken: (e) => `Grievous: ${number(e.max_hit_points)} squares are left.`,
  hit_points_recovered: (e) => `You recover ${number(e.amount)}: ${points(e.hit_points, "hit point")}.`,
  escape_succeeded: () => "You get away.", escape_failed: () => "You don't get away.",
  beast_killed: () => "The beast is dead.",
  terrible_beast_killed: (e) => `The Terrible Beast of ${title(e.region)} is dead!`,
  item_crafted: (e) => `${title(e.item)} is crafted.`, item_used: (e) => `${title(e.item)} is used.`, item_destroyed: (e) => `${title(e.item)} breaks.`, item_recharged: (e) => `${title(e.item)} is as new.`,
  fault_made: (e) => `${DICE[e.value - 1]} has no place: a fault.`, fault_patched: () => "It is patched with an X.", build_aborted: () => "The tower is unsound: its grid is erased.",
  tower_completed: (e) => `The ${title(e.tower)} Tower stands.`,
  forge_box_settled: (e) => `A box is worth ${number(e.result)}.`, forge_box_cleared: (e) => `${e.result}: the box is erased.`,
  forge_refined: (e) => `Refined value ${number(e.value)}.`,
  equipment_forged: (e) => `${title(e.equipment)} is forged: ${words(e.grade)}.`, forge_failed: (e) => `${title(e.equipment)} fails.`,
  totem_placed: (e) => `A totem stands on the ${title(e.tower)} Tower.`,
  day_crossed: (e) => `Day ${e.day} is crossed out${DAYS[e.symbol] ? `: ${DAYS[e.symbol]}` : ""}.`,
  events_rolled: (e) => EVENTS.map(([key, name]) => `${name}: ${title(e[key])}`).join(", ") + ".",
  village_attacked: (e) => `The Terrible Beast of ${title(e.region)} comes from the ${APPROACH[e.direction]}.`,
  hut_destroyed: (e) => `A hut is destroyed, the ${e.huts_destroyed}. so far.`,
  tower_withstood: (e) => `The ${title(e.tower)} Tower withstands.`, tower_damaged: (e) => `The ${title(e.tower)} Tower is damaged.`, tower_destroyed: (e) => `The ${title(e.tower)} Tower is destroyed.`,
  doubt_gained: (e) => (number(e.amount) ? `Doubt grows by ${e.amount} to ${e.doubt}.` : ""),
  day_began: (e) => `Day ${e.day} begins.`,
  elder_approved: (e) => `${title(e.elder)} approves.`,
  game_ended: (e) => ENDINGS[e.reason], score_counted: (e) => `Score: ${number(e.total)}.`,
};

/** Tell a public event in one line; an empty text for what needs none. Plain text: escape it for HTML. */
export function tell(event) {
  const kind = Object.keys(STORIES).find((some) => event[some]);
  return kind ? STORIES[kind](event[kind]) : "";
}

/** What an event speaks of; a roll or a new day takes back what was marked before. */
export function touches(event) {
  if (event.dice_rolled || event.day_began) return null;
  if (event.tower_die_placed) return [`cell-${low(event.tower_die_placed.tower)}-${event.tower_die_placed.cell}`];
  if (event.forge_die_placed) return [`field-${event.forge_die_placed.box}-${event.forge_die_placed.row === "ROW_TOP" ? "top" : "bottom"}`];
  if (event.material_gained) return [`material-${low(event.material_gained.material)}`];
  if (event.lair_found) return [`lair-${low(event.lair_found.region)}`];
  if (event.doubt_gained?.amount) return ["doubt"];
  if (event.damage_taken || event.hit_points_recovered) return ["hp"];
  return event.hut_destroyed ? ["huts"] : [];
}
