// What was touched so far, and what it may mean: a bar that stays in sight. Does what is meant once it is clear.

import { following, meant, reach, touched } from "./choosing.js";
import { form, words } from "./commands.js";
import { h } from "./dom.js";

/**
 * `boards`: those on which things are touched; `submit(entry, command)` does it; `pointAt(entry)` when an entry is looked
 * at; `changed(entries)`: what the person is choosing among, undefined: among all; `signal` ends listening for Escape.
 */
export function chooser({ boards, submit, pointAt = () => {}, changed = () => {}, signal }) {
  const element = h("section", { class: "chooser", hidden: true, role: "group", "aria-label": "Choosing" });
  let legal = [], chosen = [], shown = "", forms = [];

  const clear = () => {
    const last = chosen.at(-1);
    if (element.contains(document.activeElement)) boards.find((board) => board.has(last))?.focus(last);
    become([]);
  };
  const act = (entry, command) => { clear(); submit(entry, command); };

  function become(ids) {
    chosen = ids;
    const options = meant(legal, chosen);
    if (chosen.length && !options.complete.length && !options.open.length) chosen = [];
    const next = following(options, chosen);
    boards.forEach((board) => board.choose(chosen, next));
    const entries = [...options.complete, ...options.open];
    changed(chosen.length ? entries : undefined);
    draw(options);
    return { ...options, next };
  }

  function draw({ complete, open }) {
    const now = JSON.stringify([chosen, complete, open.length]);
    if (now === shown) return;  // a form may be half filled in
    shown = now;
    forms = [];
    element.hidden = !chosen.length;
    element.replaceChildren(
      h("div", { class: "row between" },
        h("b", { role: "status" }, open.length ? (complete.length ? "Do it, or go on:" : "Now touch where it goes.") : "What would you like to do?"),
        h("button", { class: "plain", onclick: clear }, "Never mind")),
      h("div", { class: "commands" }, complete.map(option)));
  }

  function option(entry) {
    if (!entry.parameters?.length)
      return h("button", { class: "command", onclick: () => act(entry, entry.prototype), onmouseenter: () => pointAt(entry), onfocus: () => pointAt(entry) }, words(entry));
    const made = form(entry, act);
    forms.push(made);
    for (const id of chosen) made.touch(id);
    return h("div", { class: "command-form" }, h("h3", {}, words(entry)), made.element);
  }

  function touch(id, how = "pointer") {
    if (forms.map((made) => made.touch(id)).some(Boolean)) return;
    const { complete, open, next } = become(touched(legal, chosen, id));
    const [only] = complete;
    if (complete.length === 1 && !open.length && !only.parameters?.length) act(only, only.prototype);
    else if (how === "keyboard" && complete.length) element.querySelector(".command, .command-form input, .command-form select")?.focus();
    else if (how === "keyboard" && next.size) boards.find((board) => board.has([...next][0]))?.focus([...next][0]);
  }

  addEventListener("keydown", (happening) => { if (happening.key === "Escape" && chosen.length) clear(); }, { signal });
  return {
    element, touch,
    /** One thing was drawn onto another ("": beside everything); without `to`: it begins. */
    drag(from, to) {
      if (to === undefined) become([from]);
      else if (to && meant(legal, [from, to]).complete.length) touch(to);
      else clear();
    },
    /** The entries as they are now. */
    show(entries) {
      legal = entries;
      become(chosen);
    },
  };
}

/** id → label of everything that leads to an entry. */
export function places(legal) {
  const found = new Map();
  for (const entry of legal) for (const id of reach(entry)) if (!found.has(id)) found.set(id, words(entry));
  return found;
}

/** What can be drawn onto something else: the first of several targets. */
export const drags = (legal) => new Set(legal.filter((entry) => entry.targets?.length > 1).map((entry) => entry.targets[0]));
