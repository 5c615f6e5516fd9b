// Home: sign in, start a match, tables, live matches, my matches, finished matches.

import { call, entropy, newId, promises, session } from "./api.js";
import { attempt, h, last, words } from "./dom.js";
import { howToPlay } from "./guide.js";
import { optionFields } from "./schema.js";

const REFRESH_MS = 3000;

export async function home(place, signal) {
  const { rulebooks = [] } = await call("RulebookService/ListRulebooks", {}, { signal });
  const titles = Object.fromEntries(rulebooks.map((book) => [book.name, book.title]));
  const lists = h("div", { class: "lists" });
  const games = [h("p", { class: "quiet" }, "To be played here; how, in short:"), h("div", { class: "row" }, rulebooks.map((book) => guideTo(book, book.title)))];
  place.append(session.token ? newMatch(rulebooks) : signIn("Play a board game", games), lists);
  while (!signal.aborted) {
    await attempt(async () => {
      const fresh = h("div", {}, await allLists(titles, signal));
      if (fresh.innerHTML !== lists.innerHTML) lists.replaceChildren(...fresh.children);
    });
    await new Promise((done) => {
      const timer = setTimeout(done, REFRESH_MS);
      signal.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
    });
  }
}

/** The form to sign in, with what is to be said below it; afterwards the page that was asked for is shown anew. */
export function signIn(title, ...below) {
  const name = h("input", { id: "name", required: true, maxlength: 40, autocomplete: "nickname" });
  const submit = (happening) => {
    happening.preventDefault();
    attempt(async () => {
      session.keep(await call("PlayerService/SignInGuest", { display_name: name.value.trim() }));
      dispatchEvent(new Event("signed-in"));
      dispatchEvent(new Event("hashchange"));
    });
  };
  return h("section", { class: "card" },
    h("h1", {}, title),
    h("p", {}, "Every move is kept, every shuffle can be checked. Watching needs no name; playing does."),
    h("form", { class: "row", onsubmit: submit }, h("label", {}, "Your name", name), h("button", { class: "primary" }, "Sign in as guest")),
    session.refused && refused(), below);
}

const refused = () => h("div", { class: "row" },
  h("p", {}, `The platform doesn't take your sign-in as ${session.name} now. Try again in a while: a guest who signs in anew is somebody else.`),
  h("button", { type: "button", onclick: () => dispatchEvent(new Event("hashchange")) }, "Try again"));

function newMatch(rulebooks) {
  const body = h("div");
  const choice = h("select", { "aria-label": "Game" }, rulebooks.map((book) => h("option", { value: book.name }, book.title)));
  const show = () => body.replaceChildren(tableForm(rulebooks.find((book) => book.name === choice.value)));
  choice.addEventListener("change", show);
  show();
  return h("section", { class: "card" }, h("h1", {}, "New match"), rulebooks.length > 1 ? choice : h("h2", {}, rulebooks[0]?.title), body);
}

const guideTo = (book, label) => howToPlay(() => call("RulebookService/GetRulebook", { name: book.name }), label);

function tableForm(book) {
  const low = book.minimum_seats, high = book.maximum_seats, solo = high === 1;
  const seats = h("input", { type: "number", min: low, max: high, value: Math.min(Math.max(5, low), high) });
  const bots = h("input", { type: "checkbox", checked: !solo });
  // Who invites somebody keeps a seat for them.
  const hidden = h("input", { type: "checkbox", onchange: () => { bots.checked = !hidden.checked; } });
  const time = decisionTime(book);
  const options = optionFields(JSON.parse(book.options_schema || "{}"), high);
  const open = (happening) => {
    happening.preventDefault();
    attempt(async () => {
      const count = Number(seats.value);
      const table = await call("TableService/CreateTable", {
        rulebook: book.name, seat_count: count, request_id: newId(),
        options: { "@type": `type.googleapis.com/${book.options_type}`, ...options.read() },
        visibility: hidden.checked ? "TABLE_VISIBILITY_PRIVATE" : "TABLE_VISIBILITY_PUBLIC",
        ...(time.value && { decision_time: time.value }),
      });
      promises.keep(table.commitment);
      await call("TableService/JoinTable", { name: table.name, entropy: entropy(), request_id: newId(), invite_code: table.invite_code });
      if (bots.checked && count > 1)
        await call("TableService/AddBots", { name: table.name, count: count - 1, request_id: newId() });
      location.hash = `#/tables/${last(table.name)}`;
    });
  };
  return h("form", { class: "table-form", onsubmit: open },
    h("p", { class: "quiet" }, book.summary),
    guideTo(book),
    low < high && h("label", {}, `Seats (${low}–${high})`, seats),
    !solo && h("label", { class: "check" }, bots, "Fill up with house players"),
    !solo && h("label", { class: "check" }, hidden, "Private (by invitation)"),
    h("details", {}, h("summary", {}, "Options"), options.element, h("label", {}, "Time to decide", time)),
    h("button", { class: "primary", id: "create" }, solo ? "Play" : "Open a table"));
}

const TIMES = [["0s", "no clock"], ["60s", "one minute"], ["300s", "five minutes"], ["86400s", "a day"], ["604800s", "a week"]];

/** How long a decision may take: as the rulebook has it, or as the table likes. */
function decisionTime(book) {
  const usual = Number.parseFloat(book.default_decision_time ?? "0");
  const words = usual ? `as usual (${usual < 120 ? `${usual} seconds` : `${Math.round(usual / 60)} minutes`})` : "as usual (no clock)";
  return h("select", { id: "decision-time" }, [["", words], ...TIMES].map(([value, text]) => h("option", { value }, text)));
}

async function allLists(titles, signal) {
  const ask = (method, body = {}) => call(method, { page_size: 20, ...body }, { signal, tries: 2 });
  const [mine, tables, live, finished] = await Promise.all([
    session.token ? ask("MatchService/ListMyMatches", { live_only: true }) : {},
    session.token ? ask("TableService/ListTables") : {},
    ask("WatchService/ListLiveMatches"),
    ask("ReplayService/ListReplays"),
  ]);
  return [
    list("My matches", "my-matches", (mine.matches ?? []).map((m) => mineRow(m, titles))),
    list("Open tables", "open-tables", (tables.tables ?? []).filter((t) => t.state === "TABLE_STATE_OPEN").map((t) => tableRow(t, titles))),
    list("Live now", "live", (live.matches ?? []).map((m) => row(`#/matches/${last(m.name)}`, titles[m.rulebook], players(m), `move ${m.sequence}`))),
    list("Finished", "finished", (finished.replays ?? []).map((r) => row(`#/replays/${last(r.name)}`, titles[r.rulebook], players(r), r.outcome?.label?.text || words((r.outcome?.reason ?? "").toLowerCase())))),
  ];
}

const list = (title, id, rows) => rows.length ? h("section", { class: "card", id }, h("h2", {}, title), h("ul", {}, rows)) : "";

const players = (match) => (match.seats ?? []).map((seat) => seat.display_name || `Player ${seat.seat}`).join(", ");

const row = (href, title, who, more, mark) => h("li", {}, h("a", { href }, h("b", {}, title), " ", h("span", { class: "quiet" }, who)), h("span", { class: mark ? "mark" : "quiet" }, more));

function mineRow(match, titles) {
  const seat = (match.seats ?? []).find((some) => some.player === session.player?.name)?.seat ?? 1;
  const turn = match.my_turn_seats?.length > 0;
  return row(`#/matches/${last(match.name)}/seats/${seat}`, titles[match.rulebook], players(match), turn ? "your turn" : "waiting", turn);
}

const tableRow = (table, titles) => row(`#/tables/${last(table.name)}`, titles[table.rulebook], players(table) || "empty", `${table.seats?.length ?? 0} of ${table.seat_count} seats`);
