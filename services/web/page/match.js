// A match that is on: as a spectator, or from one's own seat.

import { call, newId, platformTime, session, updates } from "./api.js";
import { board, gone, marks, payload, room } from "./board.js";
import { chooser, drags, places } from "./chooser.js";
import { commandPanel } from "./commands.js";
import { attempt, awaited, copy, failure, h, named, withDice } from "./dom.js";
import { howToPlay } from "./guide.js";
import { scene } from "./scene.js";
import { together } from "./together.js";

const LOG_LINES = 300;
const UNTOLD = "(earlier moves aren't shown)";
const KNOWN = { code: "NOT_FOUND", tries: 20, wait_ms: 250 };

export async function match(place, signal, id, seat = 0) {
  // The archive may need a moment until it has heard of a new match.
  const about = await awaited(() => call("MatchService/GetMatch", { name: `matches/${id}` }, { signal }), KNOWN, place, "No match has this address yet. Looking for it …");
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

  /** Draw the newest of some updates, and tell what happened in all of them. */
  function show(batch) {
    const held = page.element.contains(document.activeElement), update = batch.at(-1);
    state.latest = update;
    const events = (update.events ?? []).map(payload), view = payload(update.view);
    const legal = state.legal = (update.legal_commands ?? []).map((entry) => named(entry, names));
    const highlight = marks(rooms, events), context = { legal, seat, highlight, names, printed: rooms.printed, events };
    drawing.show(rooms.draw(view, context), places(legal), drags(legal));
    stage.show(rooms.scene?.(view, context), places(legal), drags(legal));
    choice.show(legal);
    drawing.reveal(highlight);
    for (const one of batch) {
      const lines = linesOf(one);
      page.log.tell(lines, one.sequence);
      if (lines.length) page.story.replaceChildren(...withDice(lines.join(" ")));
      if (one.snapshot) page.log.tell([UNTOLD], one.sequence);
    }
    page.say(update, seat, names);
    page.play.dataset.sequence = update.sequence;
    // What was in focus may be gone: from here the next one is a key away.
    if (held && document.activeElement === document.body) page.play.focus({ preventScroll: true });
  }

  const linesOf = (update) => (update.events ?? []).map((event) => rooms.tell(payload(event), { names })).filter(Boolean);

  /** Tell what happened before an update, as far as the log goes back. */
  async function tellBefore(sequence) {
    const enough = new AbortController(), tell = page.log.before();
    try {
      const earlier = updates(name, AbortSignal.any([signal, enough.signal]), () => {}, Math.max(1, sequence - LOG_LINES));
      for await (const batch of together(earlier)) {
        for (const update of batch) {
          if (Number(update.sequence) >= sequence || update.snapshot) return;
          tell(linesOf(update), update.sequence);
        }
      }
    } catch {
      tell([UNTOLD], sequence);
    } finally {
      enough.abort();
      tell.done();
    }
  }

  const clock = setInterval(() => page.tick(), 500);
  signal.addEventListener("abort", () => clearInterval(clock));
  try {
    for await (const batch of together(updates(name, signal, page.connection, Math.max(1, Number(about.sequence ?? 0))))) {
      const [first] = batch, begins = !state.latest;
      show(batch);
      page.resign.hidden = false;
      if (begins && Number(first.sequence) > 1 && !first.snapshot) tellBefore(Number(first.sequence));
    }
  } catch (error) {
    place.replaceChildren(closed(error, about, seat));
    return;
  }
  if (!signal.aborted && state.latest?.outcome) page.over(id);
}

/** What is said of a seat that isn't ours to look from. Others' errors go on. */
function closed(error, about, seat) {
  if (!seat || !["PERMISSION_DENIED", "UNAUTHENTICATED"].includes(error.code)) throw error;
  const whose = about.seats?.find((one) => one.seat === seat)?.display_name || `player ${seat}`;
  const why = session.refused ? `The platform doesn't take your sign-in as ${session.name} now.`
    : `This is the seat of ${whose}: before the end nobody else can play or look from there.${session.token ? "" : " You aren't signed in."}`;
  return failure(why,
    about.spectators_allowed && h("a", { class: "button primary", id: "watch-instead", href: `#/${about.name}` }, "Watch instead"));
}

function layout(id, seat, about, rooms) {
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const clock = h("span", { class: "quiet" });
  const connection = h("span", { class: "connection" });
  const commands = h("div", { id: "commands" });
  const log = story(LOG_LINES);
  const resign = h("button", { class: "plain", id: "resign", hidden: true }, "Resign");
  const happened = h("p", { class: "happened", "aria-live": "polite" });
  const after = h("div", { class: "row" });
  let deadline;
  const play = h("section", { class: "play", tabindex: -1 }, h("div", { class: "row between headline" }, status, clock, connection), happened);
  const element = h("div", { class: "match" },
    play,
    h("aside", {}, commands, h("details", { class: "story", open: true }, h("summary", {}, "What happened"), log.element),
      h("div", { class: "row" }, seat ? resign : h("span", { class: "quiet" }, about.outcome ? "" : "You are watching."), howToPlay(() => rooms), h("button", { class: "plain", onclick: () => share(id) }, "Share"))));
  return {
    element, play, after, story: happened, log, commands, resign,
    connection: (state) => { connection.textContent = state === "live" ? "" : "reconnecting …"; },
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
      const left = deadline && Math.max(0, Math.round((deadline - platformTime()) / 1000));
      clock.textContent = deadline ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "";
    },
    over(match) {
      resign.remove();
      document.title = "Ludolog";
      after.replaceChildren(h("a", { class: "button primary", id: "to-replay", href: `#/replays/${match}` }, "Replay and verify"), h("a", { class: "button", href: "#/" }, "Home"));
    },
  };
}

/** The log: at most so many lines, the newest first. */
function story(most) {
  const element = h("ol", { class: "log", id: "log", "aria-label": "What happened" });
  const write = (put) => (lines, sequence) => {
    for (const text of lines) put(h("li", { value: Number(sequence) }, withDice(text)));
    while (element.children.length > most) element.lastChild.remove();
  };
  return {
    element,
    tell: write((line) => element.prepend(line)),
    /** A second teller for what was before all that is there now, told in its own order; `done` when it has come. */
    before() {
      const between = h("li", { class: "quiet", value: 0 }, "earlier moves come …");
      element.append(between);
      return Object.assign(write((line) => between.after(line)), { done: () => between.remove() });
    },
  };
}

const share = (id) => copy(`${location.origin}${location.pathname}#/matches/${id}`, "The link for spectators is copied.");
