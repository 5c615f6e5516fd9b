// A room's drawing on the page: loads it, puts it in, and tells what is touched on it: by finger, mouse or keyboard.

import { call } from "./api.js";
import { h } from "./dom.js";

const DRAG_PX = 8;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A match → its room's module: draw, tell; touches and scene where it has them; title, how to play, and what is printed of
 * the game, as it was when the match began.
 */
export async function room({ rulebook, content_digest }, signal) {
  const [module, about] = await Promise.all([import(`/${rulebook}/board.js`), call("RulebookService/GetRulebook", { name: rulebook, content_digest }, { signal })]);
  return { ...module, title: about.title, how_to_play: about.how_to_play, printed: JSON.parse(about.printed || "{}") };
}

/** What is said in place of a drawing where the match's content isn't here any more; other errors go on. */
export function gone(error) {
  if (error.reason !== "OTHER_CONTENT") throw error;
  return h("p", { class: "gone", role: "alert" }, "This match was begun with other content of the game than is here now. It can't go on, and it can't be shown as it was. ",
    "Whoever runs this platform can put the old content back.");
}

/** The payload of an Any of proto-JSON, without its type. */
export function payload(any) {
  if (!any) return {};
  const { "@type": _, ...rest } = any;
  return rest;
}

/** Ids to mark: what the events touch, in a room that says so. An event that touches null takes back what was before it. */
export function marks({ touches = () => [] }, events) {
  return events.map(touches).reduce((all, ids) => (ids === null ? [] : [...all, ...ids]), []);
}

/**
 * A place for a drawing.
 * `touch(id, how)` is called for what is touched of the ids in `active` ("pointer" or "keyboard"), `drag(from, to)` for one
 * that is drawn onto another. A drawing that comes between press and release waits: it would swallow the click.
 */
export function board({ touch = () => {}, drag = () => {} } = {}) {
  const element = h("div", { class: "board" });
  let active = new Map(), begins = new Set(), state = { chosen: [], next: new Set() };
  let pressed = false, waiting, dragged, dropped = false;

  const find = (id) => element.querySelector(`#${CSS.escape(id)}`);
  const placeOf = (target) => {
    for (let place = target?.closest?.("[id]"); place && element.contains(place); place = place.parentElement?.closest("[id]")) {
      if (active.has(place.id)) return place;
    }
    return undefined;
  };

  element.addEventListener("click", (happening) => {
    const place = placeOf(happening.target);
    if (place && !dropped) touch(place.id, happening.detail ? "pointer" : "keyboard");
    dropped = false;
  });
  element.addEventListener("keydown", (happening) => {
    const place = placeOf(happening.target);
    if (!place) return;
    if (happening.key === "Enter" || happening.key === " ") touch(place.id, "keyboard");
    else if (ARROWS[happening.key]) neighbour(place, ARROWS[happening.key])?.focus();
    else return;
    happening.preventDefault();
  });
  element.addEventListener("pointerdown", (happening) => {
    pressed = true;
    dropped = false;
    const place = placeOf(happening.target);
    if (place && begins.has(place.id)) dragged = { place, id: place.id, x: happening.clientX, y: happening.clientY };
    const done = new AbortController();
    document.addEventListener("pointermove", move, { signal: done.signal });
    for (const kind of ["pointerup", "pointercancel"])
      document.addEventListener(kind, (end) => { done.abort(); release(end); }, { signal: done.signal });
  });

  function move(happening) {
    if (!dragged) return;
    const { x, y } = dragged;
    if (!dragged.ghost && Math.hypot(happening.clientX - x, happening.clientY - y) < DRAG_PX) return;
    if (!dragged.ghost) {
      dragged.ghost = ghostOf(dragged.place);
      document.body.append(dragged.ghost);
      drag(dragged.id);
    }
    dragged.ghost.style.transform = `translate(${happening.clientX - x}px, ${happening.clientY - y}px)`;
  }

  function release(happening) {
    if (dragged?.ghost) {
      dragged.ghost.remove();
      dropped = true;
      const place = happening.type === "pointerup" && placeOf(document.elementFromPoint(happening.clientX, happening.clientY));
      drag(dragged.id, place && place.id !== dragged.id ? place.id : "");
    }
    dragged = undefined;
    setTimeout(() => {  // after the click
      pressed = dropped = false;
      waiting?.();
      waiting = undefined;
    });
  }

  /** The nearest place in a direction; what lies aside counts as further away. */
  function neighbour(from, [right, down]) {
    const middle = (one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(from);
    const far = (one) => {
      const [there, below] = middle(one);
      const ahead = (there - x) * right + (below - y) * down, aside = Math.abs((there - x) * down) + Math.abs((below - y) * right);
      return one === from || ahead <= 1 ? Infinity : ahead + 2 * aside;
    };
    const nearest = [...active.keys()].map(find).filter(Boolean).sort((one, other) => far(one) - far(other))[0];
    return nearest && far(nearest) < Infinity ? nearest : undefined;
  }

  function wire() {
    for (const [id, label] of active) {
      const place = find(id);
      if (!place) continue;
      place.setAttribute("role", "button");
      place.setAttribute("tabindex", "0");
      if (!place.hasAttribute("aria-label")) place.setAttribute("aria-label", label);
      place.classList.add("legal");
      place.classList.toggle("begins", begins.has(id));
    }
    dress();
  }

  function dress() {
    element.classList.toggle("choosing", state.chosen.length > 0);
    for (const id of active.keys()) {
      const place = find(id);
      place?.classList.toggle("chosen", state.chosen.includes(id));
      place?.classList.toggle("next", state.next.has(id));
      if (place) place.setAttribute("aria-pressed", String(state.chosen.includes(id)));
    }
  }

  return {
    element,
    /** Put a drawing in. `places`: id → label of what can be touched; `drags`: those of them that can be drawn onto others. */
    show(drawing, places = new Map(), drags = new Set()) {
      if (pressed) {
        waiting = () => this.show(drawing, places, drags);
        return;
      }
      const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
      active = places;
      begins = drags;
      const { scrollLeft = 0, scrollTop = 0 } = element.querySelector(".frame") ?? {};
      if (typeof drawing === "string") element.innerHTML = drawing;
      else element.replaceChildren(drawing);
      for (const picture of element.querySelectorAll("[data-min-width], [data-max-width]")) {
        const { minWidth, maxWidth } = picture.dataset;
        if (minWidth) picture.style.minWidth = `${Number(minWidth)}px`;
        if (maxWidth) picture.style.maxWidth = `${Number(maxWidth)}px`;
      }
      element.querySelector(".frame")?.scrollTo(scrollLeft, scrollTop);  // what somebody looks at stays in sight
      wire();
      if (focused) find(focused)?.focus({ preventScroll: true });
    },
    /** Show what is chosen and what may follow. */
    choose(chosen, next) {
      state = { chosen, next };
      dress();
    },
    focus: (id) => find(id)?.focus(),
    has: (id) => Boolean(find(id)),
    mark(ids) {
      element.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
      ids.forEach((id) => find(id)?.classList.add("pointed"));
    },
    /** Scroll within a board, or a part of it of class frame, that is larger than there is room for, until these are seen; without any, what is of class here. */
    reveal(ids) {
      const place = ids.map(find).find(Boolean) ?? element.querySelector(".here"), scrolled = place?.closest(".frame") ?? element;
      const box = place?.getBoundingClientRect(), frame = scrolled.getBoundingClientRect();
      if (box && (box.left < frame.left || box.right > frame.right)) scrolled.scrollLeft += box.x + box.width / 2 - frame.x - frame.width / 2;
      if (box && (box.top < frame.top || box.bottom > frame.bottom)) scrolled.scrollTop += box.y + box.height / 2 - frame.y - frame.height / 2;
    },
  };
}

/** A copy of something on a board, to follow the pointer. */
function ghostOf(place) {
  const { x, y, width, height } = place.getBoundingClientRect();
  let copy = place.cloneNode(true);
  for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
  if (place instanceof SVGGraphicsElement) {
    const box = place.getBBox(), svg = place.ownerSVGElement.cloneNode(false);
    for (const name of ["id", "style", "data-min-width", "data-max-width"]) svg.removeAttribute(name);
    svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
    copy.removeAttribute("transform");
    svg.append(copy);
    copy = svg;
  }
  const ghost = h("div", { class: "ghost", "aria-hidden": "true" }, copy);
  Object.assign(ghost.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  return ghost;
}
