// Small helpers for the document. Text is always set as text, never as markup.

/** Make an element: h("button", {class: "x", onclick: f}, "text", child, …). False and undefined are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** Tell the person something that isn't on the page; errors stay a little longer. */
export function toast(text, kind = "") {
  const place = document.getElementById("toasts");
  const note = h("div", { class: `toast ${kind}` }, text);
  place.append(note);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => note.remove(), kind === "error" ? 9000 : 4000);
}

/** Run something that may fail; a failure is told, and undefined returned. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    toast(error.message, "error");
    if (!error.code) console.error(error);
    return undefined;
  }
}

/** What stands in place of a page that can't be shown: why, and where to go from here. */
export const failure = (text, ...ways) => h("section", { class: "card failure", role: "alert" }, h("p", {}, text),
  h("div", { class: "row" }, ways, h("button", { onclick: () => dispatchEvent(new Event("hashchange")) }, "Try again"), h("a", { class: "button", href: "#/" }, "Home")));

/** Ask for something that may not be there yet, again and again; meanwhile the person is told so in `place`. */
export async function awaited(ask, { code, tries, wait_ms }, place, text) {
  const note = h("p", { class: "quiet", role: "status" }, text);
  try {
    for (let tried = 0; ; tried += 1) {
      try {
        return await ask();
      } catch (error) {
        if (error.code !== code || tried >= tries) throw error;
      }
      place.append(note);
      await new Promise((done) => setTimeout(done, wait_ms));
    }
  } finally {
    note.remove();
  }
}

/** Copy a text for the person; where the browser doesn't let us (pages over plain HTTP), show it to be copied. */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    toast(told);
  } catch {
    prompt("Copy this:", text);
  }
}

/** A legal command whose labels call players by their names: "player 2" in the rules' texts is seat 2. */
export function named(entry, names) {
  const called = (one) => {
    if (!one.label?.text) return one;
    const text = one.label.text.replace(/\bplayer (\d+)\b/g, (words, seat) => names[seat] ?? words);
    return { ...one, label: { ...one.label, text } };
  };
  const parameters = entry.parameters?.map((parameter) =>
    (parameter.choices ? { ...parameter, choices: { ...parameter.choices, choices: parameter.choices.choices.map(called) } } : parameter));
  return { ...called(entry), ...(parameters && { parameters }) };
}

const DICE = "⚀⚁⚂⚃⚄⚅";

/** A text in which dice (⚀ to ⚅) can be read: larger, and by number for who listens. */
export const withDice = (text) => text.split(/([⚀-⚅])/).filter(Boolean).map((part) =>
  DICE.includes(part) ? h("span", { class: "die", role: "img", "aria-label": String(DICE.indexOf(part) + 1) }, part) : part);

/** "matches/x" → "x". */
export const last = (name) => name.slice(name.lastIndexOf("/") + 1);

/** A name of the API as words: "tempel_des_schreckens" → "Tempel des schreckens". */
export const words = (key) => (key.charAt(0).toUpperCase() + key.slice(1)).replaceAll("_", " ");
