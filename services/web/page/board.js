// A room's drawing on the page: loads it, puts it in, wires what may be clicked.

import { h } from "./dom.js";

/** "rulebooks/x" → the room's module {draw, tell}. */
export const room = (rulebook) => import(`/${rulebook}/board.js`);

/** The payload of an Any of proto-JSON, without its type. */
export function payload(any) {
  if (!any) return {};
  const { "@type": _, ...rest } = any;
  return rest;
}

/** Ids on the board that an event speaks of, by the convention "thing-seat-slot": what has an owner and a slot. */
const idsOf = (event) => Object.entries(event).flatMap(([kind, fields]) =>
  kind.startsWith("chamber") && fields?.owner && fields?.slot ? [`chamber-${fields.owner}-${fields.slot}`] : fields?.targets ?? []);

/** What to mark: what the last events speak of, unless cards were dealt since. */
export const marks = (events) => events.some((event) => Object.keys(event).some((kind) => kind.endsWith("_dealt"))) ? [] : events.flatMap(idsOf);

/** A place for a board. `show(drawing, legal, choose)`: `choose(entries)` is called with the entries of what was touched. */
export function board() {
  const element = h("div", { class: "board" });
  let choose = () => {}, legal = [], pressed = false, waiting;
  const touched = (target) => {
    const place = target.closest?.("[role=button][id]");
    if (!place || !element.contains(place)) return false;
    const entries = legal.filter((entry) => entry.targets?.includes(place.id));
    if (entries.length) choose(entries);
    return entries.length > 0;
  };
  element.addEventListener("click", (happening) => touched(happening.target));
  element.addEventListener("keydown", (happening) => {
    if ((happening.key === "Enter" || happening.key === " ") && touched(happening.target)) happening.preventDefault();
  });
  // A drawing that is replaced between press and release would swallow the click.
  const release = () => setTimeout(() => {
    pressed = false;
    waiting?.();
    waiting = undefined;
  });
  element.addEventListener("pointerdown", () => {
    pressed = true;
    for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, release, { once: true });
  });
  return {
    element,
    show(drawing, entries, then) {
      if (pressed) {
        waiting = () => this.show(drawing, entries, then);
        return;
      }
      const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
      legal = entries;
      choose = then;
      if (typeof drawing === "string") element.innerHTML = drawing;
      else element.replaceChildren(drawing);
      if (focused) element.querySelector(`#${CSS.escape(focused)}`)?.focus();
    },
    mark(ids) {
      element.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
      ids.forEach((id) => element.querySelector(`#${CSS.escape(id)}`)?.classList.add("pointed"));
    },
  };
}
