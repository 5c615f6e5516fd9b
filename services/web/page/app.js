// The router: what is shown is in the address after the #.

import { session } from "./api.js";
import { attempt, failure, h, toast } from "./dom.js";
import { home } from "./home.js";
import { match } from "./match.js";
import { replay } from "./replay.js";
import { table } from "./table.js";

const PAGES = [
  [/^#\/tables\/([a-z0-9-]+)(?:\?code=(.+))?$/, (place, signal, id, code) => table(place, signal, id, code && decodeURIComponent(code))],
  [/^#\/matches\/([a-z0-9-]+)$/, (place, signal, id) => match(place, signal, id)],
  [/^#\/matches\/([a-z0-9-]+)\/seats\/(\d+)$/, (place, signal, id, seat) => match(place, signal, id, Number(seat))],
  [/^#\/replays\/([a-z0-9-]+)$/, (place, signal, id) => replay(place, signal, id)],
  [/^(?:#\/?)?$/, (place, signal) => home(place, signal)],
];
let leaving = new AbortController();

async function route() {
  leaving.abort();
  leaving = new AbortController();
  const place = h("div");  // a page that is still loading when it is left writes into its own
  document.getElementById("main").replaceChildren(place);
  document.title = "Ludolog";
  showWho();
  const hash = location.hash;
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(hash);
    if (!found) continue;
    const { signal } = leaving;
    try {
      if (session.refused) {
        await session.resume();
        showWho();
      }
      await page(place, signal, ...found.slice(1));
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      place.prepend(failure(error.message));
      if (!error.code) console.error(error);
    }
    return;
  }
  place.append(h("p", {}, "There is no such page. ", h("a", { href: "#/" }, "Home")));
}

function showWho() {
  const who = document.getElementById("who");
  if (!session.token) return who.replaceChildren();
  const leave = () => {
    session.forget();
    toast("Signed out. As a guest you can't come back to this name.");
    location.hash = "#/";
    route();
  };
  return who.replaceChildren(h("span", {}, session.name), h("button", { class: "plain", onclick: leave }, "Sign out"));
}

async function start() {
  await attempt(session.resume);
  addEventListener("hashchange", route);
  addEventListener("signed-in", showWho);
  await route();
}

start();
