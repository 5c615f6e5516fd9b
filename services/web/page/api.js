// The public API: calls, streams that come back by themselves, and who is signed in.

import { words } from "./dom.js";

const FIRST_MS = 200, MOST_MS = 4000;
const TOKEN = "ludolog.token", NAME = "ludolog.name", PROMISES = "ludolog.promises";

/** A failed call: code and reason are for programs, message is for people and names neither. */
export class ApiError extends Error {
  constructor(about) {
    super(explain(about));
    Object.assign(this, about, { message: explain(about) });
  }
}

function explain(about) {
  if (about.field) return `${about.field} ${about.problem}`;
  const section = about.section && about.section !== "Platform" ? ` (${about.section})` : "";
  // Rules refuse by a reason alone, with facts behind it.
  const coded = !about.message || (about.reason && about.message.startsWith(about.reason));
  const text = coded ? words((about.reason || about.code).toLowerCase()) : about.message.charAt(0).toUpperCase() + about.message.slice(1);
  return text + section;
}

/**
 * Who is signed in. A token that isn't taken is put aside and stays in the browser: it may be the platform's clock or key
 * that is wrong for a while, and a guest has nothing else to come back with.
 */
export const session = {
  get token() { return session.refused ? "" : localStorage.getItem(TOKEN) ?? ""; },
  get name() { return localStorage.getItem(NAME) ?? ""; },
  player: undefined,
  refused: false,
  keep({ token, player }) {
    localStorage.setItem(TOKEN, token);
    localStorage.setItem(NAME, player.display_name);
    Object.assign(session, { player, refused: false });
  },
  forget() {
    localStorage.removeItem(TOKEN);
    Object.assign(session, { player: undefined, refused: false });
  },
  /** Show the token that the browser keeps, also one that wasn't taken before; a refusal is none of ours to tell. */
  async resume() {
    session.refused = false;
    if (!session.token) return;
    try {
      session.player = await call("PlayerService/GetPlayer", { name: "players/me" }, { tries: 3 });
    } catch (error) {
      if (!session.refused) throw error;
    }
  },
};

let clock;

/** Unix time in ms by the platform's clock, to a second or so: the clock of a device may be wrong by hours. */
export const platformTime = () => (clock ? clock.there + performance.now() - clock.here : Date.now());

function setClock(date) {
  const there = Date.parse(date) + 500;  // whole seconds are sent
  if (there && !(clock && Math.abs(there - platformTime()) < 1500)) clock = { there, here: performance.now() };
}

/** The promises of seeds that this browser has seen, signatures included, by match id: a replay is checked against them. */
export const promises = {
  of(match) { return JSON.parse(localStorage.getItem(PROMISES) ?? "{}")[match]; },
  keep(receipt) {
    if (!receipt?.commitment) return;
    const kept = JSON.parse(localStorage.getItem(PROMISES) ?? "{}");
    kept[receipt.match_id] ??= receipt;
    const ids = Object.keys(kept);
    for (const id of ids.slice(0, Math.max(0, ids.length - 200))) delete kept[id];
    localStorage.setItem(PROMISES, JSON.stringify(kept));
  },
};

async function post(method, body, signal) {
  const headers = { "Content-Type": "application/json" };
  if (session.token) headers.Authorization = `Bearer ${session.token}`;
  let answer;
  try {
    answer = await fetch(`/api/${method}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({ code: "UNAVAILABLE", message: "the platform doesn't answer" });
  }
  setClock(answer.headers.get("Date"));
  if (answer.ok) return answer;
  let about = { code: "UNAVAILABLE", message: `HTTP ${answer.status}` };
  try { about = (await answer.json()).error ?? about; } catch { /* not ours */ }
  if (about.code === "UNAUTHENTICATED" && headers.Authorization) {
    session.refused = true;
    dispatchEvent(new Event("signed-in"));
  }
  throw new ApiError(about);
}

/** A unary call. What is unknown (UNAVAILABLE) is asked again for a while: requests carry their own ids. */
export async function call(method, body = {}, { signal, tries = 6 } = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await (await post(method, body, signal)).json();
    } catch (error) {
      if (!["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.code) || attempt + 1 >= tries) throw error;
      await pause(attempt);
    }
  }
}

const pause = (attempt) => new Promise((done) => setTimeout(done, Math.min(MOST_MS, FIRST_MS * 2 ** attempt) * (0.5 + Math.random() / 2)));

/** Every message of a stream, once opened; ends with the stream. */
export async function* messages(method, body, signal, onOpen = () => {}) {
  const answer = await post(method, body, signal);
  onOpen();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new ApiError({ code: "UNAVAILABLE", message: "the connection was lost" });
      buffer += value;
      let end;
      while ((end = buffer.indexOf("\n\n")) >= 0) {
        const [kind, data] = parse(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (kind === "end") return;
        if (kind === "error") throw new ApiError(data);
        if (kind === "message") yield data;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  let kind = "", data = "null";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) kind = line.slice(7);
    if (line.startsWith("data: ")) data = line.slice(6);
  }
  return [kind, JSON.parse(data)];
}

/** Follow a stream for ever, or until it ends in order. `body(n)`: the request, n messages after the first opening. */
export async function* follow(method, body, signal, onState = () => {}) {
  let attempt = 0;
  for (;;) {
    try {
      for await (const message of messages(method, body(), signal, () => onState("live"))) {
        attempt = 0;
        yield message;
      }
      return;
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      if (!["UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "CANCELLED", undefined].includes(error.code)) throw error;
    }
    onState("lost");
    await pause(attempt);
    attempt += 1;
    if (signal.aborted) return;
  }
}

/** Updates of a match or of one's seat, each sequence number once. */
export async function* updates(name, signal, onState, from = 0) {
  let next = from;
  for await (const update of follow("WatchService/Watch", () => ({ name, from_sequence: String(next) }), signal, onState)) {
    const sequence = Number(update.sequence);
    if (next && sequence < next) continue;
    next = sequence + 1;
    yield update;
  }
}

/** An id for a request. (crypto.randomUUID is for pages over HTTPS alone.) */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Our own contribution to the match's luck: 32 random bytes, base64. */
export const entropy = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
