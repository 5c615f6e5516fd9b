// A match that is on: as a spectator, or from one's own seat.

import { call, newId, updates } from "./api.js";
import { board, gone, marks, payload, room } from "./board.js";
import { chooser, drags, places } from "./chooser.js";
import { commandPanel } from "./commands.js";
import { attempt, copy, h, named, withDice } from "./dom.js";
import { howToPlay } from "./guide.js";
import { scene } from "./scene.js";

const LOG_LINES = 300;

export async function match(place, signal, id, seat = 0) {
  const about = await knownMatch(`matches/${id}`, signal);
  const rooms = await room(about, signal).catch((error) => place.append(gone(error)));
  if (!rooms) return;
  const names = Object.fromEntries((about.seats ?? []).map((one) => [one.seat, one.display_name || `Player ${one.seat}`]));
  const page = layout(id, seat, about, rooms);
  place.append(page.element);
  const name = seat ? `matches/${id}/seats/${seat}` : `matches/${id}`;
  const state = { latest: undefined, legal: [], busy: false };

  const submit = (entry, command) => attempt(async () => {
    if (state.busy) return;
    state.busy = true;
    page.element.classList.add("busy");
    try {
      await call("PlayService/SubmitCommand", { name, command_id: newId(), command, decision_id: entry.decision_id });
    } finally {
      state.busy = false;
      page.element.classList.remove("busy");
    }
  });
  page.resign.addEventListener("click", () => {
    if (confirm("Really give up?")) attempt(() => call("PlayService/Resign", { name, command_id: newId() }));
  });

  const hands = { touch: (id, how) => choice.touch(id, how), drag: (from, to) => choice.drag(from, to) };
  const drawing = board(hands), stage = scene(hands);
  const pointAt = (entry) => [drawing, stage.board].forEach((one) => one.mark(entry.targets ?? []));
  const commands = commandPanel(submit, pointAt);
  const choice = chooser({ boards: [stage.board, drawing], submit, pointAt, changed: (entries) => commands.show(entries ?? state.legal), signal });
  page.play.append(stage.element, drawing.element, choice.element, page.after);
  page.commands.append(commands.element);

  function show(update) {
    const held = page.element.contains(document.activeElement);
    state.latest = update;
    const events = (update.events ?? []).map(payload), view = payload(update.view);
    const legal = state.legal = (update.legal_commands ?? []).map((entry) => named(entry, names));
    const highlight = marks(rooms, events), context = { legal, seat, highlight, names, printed: rooms.printed, events };
    drawing.show(rooms.draw(view, context), places(legal), drags(legal));
    stage.show(rooms.scene?.(view, context), places(legal), drags(legal));
    choice.show(legal);
    drawing.reveal(highlight);
    const lines = events.map((event) => rooms.tell(event, { names })).filter(Boolean);
    for (const line of lines) page.tell(line, update.sequence);
    if (lines.length) page.story.replaceChildren(...withDice(lines.join(" ")));
    if (update.snapshot) page.tell("(earlier moves aren't shown)", update.sequence);
    page.say(update, seat, names);
    // What was in focus may be gone: from here the next one is a key away.
    if (held && document.activeElement === document.body) page.play.focus({ preventScroll: true });
  }

  const clock = setInterval(() => page.tick(), 500);
  signal.addEventListener("abort", () => clearInterval(clock));
  for await (const update of updates(name, signal, page.connection, 1)) show(update);
  if (!signal.aborted && state.latest?.outcome) page.over(id);
}

/** The match; it may take a moment until the archive has heard of a new one. */
async function knownMatch(name, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call("MatchService/GetMatch", { name }, { signal });
    } catch (error) {
      if (error.code !== "NOT_FOUND" || tries > 20) throw error;
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}

function layout(id, seat, about, rooms) {
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const clock = h("span", { class: "quiet" });
  const connection = h("span", { class: "connection" });
  const commands = h("div", { id: "commands" });
  const log = h("ol", { class: "log", id: "log", "aria-label": "What happened" });
  const resign = h("button", { class: "plain", id: "resign" }, "Resign");
  const story = h("p", { class: "happened", "aria-live": "polite" });
  const after = h("div", { class: "row" });
  let deadline;
  const play = h("section", { class: "play", tabindex: -1 }, h("div", { class: "row between headline" }, status, clock, connection), story);
  const element = h("div", { class: "match" },
    play,
    h("aside", {}, commands, h("details", { class: "story", open: true }, h("summary", {}, "What happened"), log),
      h("div", { class: "row" }, seat ? resign : h("span", { class: "quiet" }, about.outcome ? "" : "You are watching."), howToPlay(() => rooms), h("button", { class: "plain", onclick: () => share(id) }, "Share"))));
  return {
    element, play, after, story, commands, resign,
    connection: (state) => { connection.textContent = state === "live" ? "" : "reconnecting …"; },
    tell(text, sequence) {
      if (!text) return;
      log.prepend(h("li", { value: Number(sequence) }, withDice(text)));
      while (log.children.length > LOG_LINES) log.lastChild.remove();
    },
    say(update, mine, names) {
      deadline = undefined;
      if (update.outcome) {
        const results = update.outcome.results ?? [];  // none where the platform called it off
        const won = results.find((result) => result.seat === mine)?.winner;
        const verdict = mine && results.length ? (won ? "You have won. " : "You have lost. ") : "";
        status.textContent = verdict + (update.outcome.label?.text || update.outcome.reason);
        status.classList.remove("mine");
        this.tick();
        return;
      }
      const own = (update.awaiting ?? []).find((decision) => decision.seat === mine);
      const one = own ?? update.awaiting?.[0];
      const who = (update.awaiting ?? []).map((decision) => names[decision.seat]).join(", ");
      status.textContent = own ? `Your turn: ${own.label?.text ?? ""}` : who ? `Waiting for ${who}` : "";
      status.classList.toggle("mine", Boolean(own));
      document.title = own ? "● Your turn · Ludolog" : "Ludolog";
      deadline = one?.deadline && new Date(one.deadline);
      this.tick();
    },
    tick() {
      const left = deadline && Math.max(0, Math.round((deadline - Date.now()) / 1000));
      clock.textContent = deadline ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "";
    },
    over(match) {
      resign.remove();
      document.title = "Ludolog";
      after.replaceChildren(h("a", { class: "button primary", id: "to-replay", href: `#/replays/${match}` }, "Replay and verify"), h("a", { class: "button", href: "#/" }, "Home"));
    },
  };
}

const share = (id) => copy(`${location.origin}${location.pathname}#/matches/${id}`, "The link for spectators is copied.");
