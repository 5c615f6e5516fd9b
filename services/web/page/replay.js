// A finished match: scrub, look with other eyes, verify.

import { call } from "./api.js";
import { board, gone, marks, payload, room } from "./board.js";
import { attempt, awaited, h, withDice } from "./dom.js";
import { proof } from "./proof.js";
import { scene } from "./scene.js";

const SPEEDS = [["½×", 0.5], ["1×", 1], ["2×", 2], ["4×", 4]];
const ARCHIVED = { code: "NOT_FOUND", tries: 40, wait_ms: 300 };

export async function replay(place, signal, id) {
  // The archive may need a moment after the last move.
  const about = await awaited(() => call("ReplayService/GetReplay", { name: `replays/${id}` }, { signal }), ARCHIVED, place,
    "No finished match has this address yet. Looking for it …");
  const rooms = await room(about, signal).catch((error) => place.append(gone(error), proof(about, signal)));
  if (!rooms) return;
  const names = Object.fromEntries((about.seats ?? []).map((one) => [one.seat, one.display_name || `Player ${one.seat}`]));
  const count = Number(about.frame_count);
  const drawing = board(), stage = scene();
  const slider = h("input", { type: "range", id: "scrub", min: 1, max: count, value: 1, "aria-label": "Move" });
  const position = h("output", { id: "position" });
  const story = h("p", { class: "status story-line", id: "story" });
  const eyes = h("select", { id: "eyes", "aria-label": "Seen with the eyes of" },
    h("option", { value: "spectator" }, "a spectator"),
    (about.seats ?? []).map((one) => h("option", { value: String(one.seat) }, names[one.seat])),
    h("option", { value: "omniscient" }, "somebody who knows all"));
  const speed = h("select", { "aria-label": "Speed" }, SPEEDS.map(([text, value]) => h("option", { value, selected: value === 1 }, text)));
  const frames = new Map();
  let timer, wanted = 0;

  const perspective = () => eyes.value === "spectator" ? { spectator: true } : eyes.value === "omniscient" ? { omniscient: true } : { seat: Number(eyes.value) };
  const frame = async (sequence) => {
    const key = `${eyes.value} ${sequence}`;
    if (!frames.has(key)) frames.set(key, await call("ReplayService/GetFrame", { name: about.name, sequence: String(sequence), perspective: perspective() }, { signal }));
    return frames.get(key);
  };
  const show = (sequence) => attempt(async () => {
    wanted = Math.min(Math.max(1, sequence), count);
    slider.value = wanted;
    position.textContent = `${wanted} / ${count}`;
    const asked = wanted;
    const update = await frame(asked);
    if (asked !== wanted) return;
    const events = (update.events ?? []).map(payload);
    const view = payload(update.view), context = { legal: [], seat: Number(eyes.value) || 0, names, highlight: marks(rooms, events), printed: rooms.printed, events };
    drawing.show(rooms.draw(view, context));
    stage.show(rooms.scene?.(view, context));
    drawing.reveal(context.highlight);
    story.replaceChildren(...withDice(events.map((event) => rooms.tell(event, { names })).filter(Boolean).join(" ")));
    if (asked < count) frame(asked + 1).catch(() => {});
  });
  const stop = () => { clearInterval(timer); timer = undefined; play.textContent = "Play"; };
  const run = () => {
    if (timer) return stop();
    if (wanted >= count) show(1);
    play.textContent = "Pause";
    timer = setInterval(() => (wanted >= count ? stop() : show(wanted + 1)), 1000 / Number(speed.value));
    return undefined;
  };
  const play = h("button", { id: "play", onclick: run }, "Play");
  const step = (by) => () => { stop(); show(wanted + by); };
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  eyes.addEventListener("change", () => show(wanted));
  speed.addEventListener("change", () => { if (timer) { stop(); run(); } });
  const keys = (happening) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(happening.target.tagName)) return;
    if (happening.key === "ArrowLeft") step(-1)();
    if (happening.key === "ArrowRight") step(1)();
  };
  addEventListener("keydown", keys, { signal });
  signal.addEventListener("abort", stop);

  place.append(h("div", { class: "match" },
    h("section", { class: "play" },
      h("div", { class: "row scrub" },
        h("button", { onclick: step(-1), "aria-label": "One back" }, "◀"), play, h("button", { onclick: step(1), "aria-label": "One on" }, "▶"), slider, position),
      h("div", { class: "row" }, h("label", { class: "check" }, "Eyes of", eyes), h("label", { class: "check" }, "Speed", speed)),
      story, stage.element, drawing.element),
    h("aside", {},
      h("section", { class: "card" }, h("h2", {}, about.outcome?.label?.text || about.outcome?.reason), results(about, names)),
      proof(about, signal))));
  await show(count);
}

function results(about, names) {
  const rows = (about.outcome?.results ?? []).map((one) => h("li", {}, h("b", {}, names[one.seat]), one.winner ? " won" : " lost", one.score === undefined ? "" : `, ${one.score} points`));
  return h("ul", {}, rows);
}
