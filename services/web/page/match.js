// A match that is on: as a spectator, or from one's own seat.

import { call, newId, updates } from "./api.js";
import { board, marks, payload, room } from "./board.js";
import { commandPanel, form } from "./commands.js";
import { attempt, copy, h, named } from "./dom.js";

const LOG_LINES = 300;

export async function match(place, signal, id, seat = 0) {
  const about = await knownMatch(`matches/${id}`, signal);
  const { draw, tell } = await room(about.rulebook);
  const names = Object.fromEntries((about.seats ?? []).map((one) => [one.seat, one.display_name || `Player ${one.seat}`]));
  const page = layout(id, seat, about);
  place.append(page.element);
  const name = seat ? `matches/${id}/seats/${seat}` : `matches/${id}`;
  const state = { latest: undefined, busy: false };

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

  const commands = commandPanel(submit, (entry) => page.board.mark(entry.targets ?? []));
  page.commands.append(commands.element);

  function show(update) {
    state.latest = update;
    const events = (update.events ?? []).map(payload);
    const legal = (update.legal_commands ?? []).map((entry) => named(entry, names));
    page.board.show(draw(payload(update.view), { legal, seat, highlight: marks(events), names }), legal, (entries) => choose(page, entries, submit));
    for (const event of events) page.tell(tell(event, { names }), update.sequence);
    if (update.snapshot) page.tell("(earlier moves aren't shown)", update.sequence);
    commands.show(legal);
    page.say(update, seat, names);
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

/** Something on the board was touched: do the one thing, or ask which. */
function choose(page, entries, submit) {
  const [first] = entries;
  const plain = entries.filter((entry) => entry.kind === "COMMAND_KIND_MOVE" && !entry.parameters?.length);
  if (plain.length === 1) return submit(plain[0], plain[0].prototype);
  if (entries.length === 1 && !first.parameters?.length) return submit(first, first.prototype);
  const shut = () => page.dialog.close();
  page.dialog.replaceChildren(
    h("h2", {}, "What would you like to do?"),
    ...entries.map((entry) => entry.parameters?.length
      ? h("div", {}, h("h3", {}, entry.label?.text), form(entry, (one, command) => { shut(); submit(one, command); }))
      : h("button", { class: "command", onclick: () => { shut(); submit(entry, entry.prototype); } }, entry.label?.text)),
    h("button", { class: "plain", onclick: shut }, "Never mind"));
  return page.dialog.showModal();
}

function layout(id, seat, about) {
  const drawing = board();
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const clock = h("span", { class: "quiet" });
  const connection = h("span", { class: "connection" });
  const commands = h("div", { id: "commands" });
  const log = h("ol", { class: "log", id: "log", "aria-label": "What happened" });
  const resign = h("button", { class: "plain", id: "resign" }, "Resign");
  const dialog = h("dialog");
  const after = h("div", { class: "row" });
  let deadline;
  const element = h("div", { class: "match" },
    h("section", { class: "play" }, h("div", { class: "row between headline" }, status, clock, connection), drawing.element, after),
    h("aside", {}, commands, h("details", { class: "story", open: true }, h("summary", {}, "What happened"), log),
      h("div", { class: "row" }, seat ? resign : h("span", { class: "quiet" }, about.outcome ? "" : "You are watching."), h("button", { class: "plain", onclick: () => share(id) }, "Share"))),
    dialog);
  return {
    element, board: drawing, commands, resign, dialog,
    connection: (state) => { connection.textContent = state === "live" ? "" : "reconnecting …"; },
    tell(text, sequence) {
      if (!text) return;
      log.prepend(h("li", { value: Number(sequence) }, text));
      while (log.children.length > LOG_LINES) log.lastChild.remove();
    },
    say(update, mine, names) {
      deadline = undefined;
      if (update.outcome) {
        const won = update.outcome.results?.find((result) => result.seat === mine)?.winner;
        const verdict = mine ? (won ? "You have won. " : "You have lost. ") : "";
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
