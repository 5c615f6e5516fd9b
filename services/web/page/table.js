// A table before its match: who sits there, house players, invitation, start.

import { call, entropy, newId, promises, session } from "./api.js";
import { attempt, copy, h } from "./dom.js";
import { howToPlay } from "./guide.js";
import { signIn } from "./home.js";

const LOOK_MS = 600;

export async function table(place, signal, id, code = "") {
  const name = `tables/${id}`;
  if (code && !session.token) {  // invitations are for players
    place.append(signIn("You are invited: sign in to take a seat"));
    return undefined;
  }
  const body = h("section", { class: "card" });
  place.append(body);
  let game;
  if (!session.token) place.append(signIn("Sign in to take a seat"));
  let shown = "", started = false;
  while (!signal.aborted) {
    const found = await call("TableService/GetTable", { name, invite_code: code }, { signal });
    promises.keep(found.commitment);
    game ??= await call("RulebookService/GetRulebook", { name: found.rulebook }, { signal });
    if (found.match) return enter(found);
    const state = JSON.stringify(found);
    if (state !== shown) body.replaceChildren(...content(found, code, game));
    shown = state;
    // A table that was opened for house players alone starts by itself.
    const full = (found.seats?.length ?? 0) === found.seat_count;
    if (full && !started && found.state === "TABLE_STATE_OPEN" && isHost(found) && others(found).every((seat) => seat.house_player)) {
      started = true;
      await attempt(() => start(found));
    }
    if (found.state === "TABLE_STATE_CLOSED") return undefined;
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  return undefined;
}

const isHost = (found) => found.host === session.player?.name;
const mySeat = (found) => (found.seats ?? []).find((seat) => seat.player === session.player?.name);
const others = (found) => (found.seats ?? []).filter((seat) => seat.player !== session.player?.name);
const start = (found) => call("TableService/StartTable", { name: found.name, request_id: newId() });

function enter(found) {
  const id = found.match.replace("matches/", "");
  const mine = mySeat(found);
  location.replace(mine ? `#/matches/${id}/seats/${mine.seat}` : `#/matches/${id}`);
}

/** What a table waits for, as the person who looks at it needs it. */
function waiting(found, free) {
  if (free > 0) return `${free} ${free === 1 ? "seat is" : "seats are"} free.`;
  if (found.bots_wanted > 0) return found.bots_wanted === 1 ? "A house player is on the way." : `${found.bots_wanted} house players are on their way.`;
  if (isHost(found)) return "Everybody is here: you can start.";
  const host = (found.seats ?? []).find((seat) => seat.player === found.host);
  return `Everybody is here: ${host?.display_name || "whoever opened the table"} can start.`;
}

function content(found, code, game) {
  const ask = (method, body = {}) => () => attempt(() => call(`TableService/${method}`, { name: found.name, request_id: newId(), ...body }));
  const taken = found.seats?.length ?? 0, wanted = found.bots_wanted ?? 0, free = found.seat_count - taken - wanted;
  const closed = found.state === "TABLE_STATE_CLOSED";
  const rows = Array.from({ length: found.seat_count }, (_, index) => {
    const seat = (found.seats ?? []).find((some) => some.seat === index + 1);
    return h("li", {}, h("b", {}, `Seat ${index + 1}`), " ", seat ? seat.display_name || seat.player : h("span", { class: "quiet" }, "free"), seat?.house_player ? h("span", { class: "quiet" }, " (house player)") : "");
  });
  const open = found.state === "TABLE_STATE_OPEN" && session.token;
  return [
    h("h1", {}, closed ? `${game.title}: this table is closed` : `A table for ${game.title}`),
    h("p", { class: "quiet" }, game.summary),
    howToPlay(() => game),
    closed && h("p", {}, found.close_reason || "There was no match."),
    h("ul", {}, rows),
    !closed && h("p", { role: "status" }, waiting(found, free)),
    h("div", { class: "row" },
      open && !mySeat(found) && free > 0 && h("button", { class: "primary", onclick: ask("JoinTable", { entropy: entropy(), invite_code: code || found.invite_code }) }, "Take a seat"),
      open && isHost(found) && free > 0 && h("button", { onclick: ask("AddBots", { count: free }) }, `Add ${free} house ${free === 1 ? "player" : "players"}`),
      open && isHost(found) && h("button", { class: "primary", disabled: taken < found.seat_count, onclick: ask("StartTable") }, "Start"),
      open && (mySeat(found) || isHost(found)) && h("button", { onclick: ask("LeaveTable") }, isHost(found) ? "Close the table" : "Leave")),
    found.invite_code && invitation(found),
    found.commitment && h("details", {}, h("summary", {}, "The promise"),
      h("p", {}, "Before anybody sat down the platform fixed the match's luck: this is its commitment. Your browser keeps it, adds luck of its own when you take a seat, and checks the finished match against both."),
      h("code", {}, found.commitment.commitment)),
  ].filter(Boolean);
}

function invitation(found) {
  const link = `${location.origin}${location.pathname}#/${found.name}?code=${encodeURIComponent(found.invite_code)}`;
  return h("p", {}, "Invite with this link: ", h("code", {}, link), " ", h("button", { class: "plain", onclick: () => copy(link, "The invitation is copied.") }, "Copy"));
}
