// Where a room's scene is shown: a fight, an offer, something that is settled before the board goes on.

import { board } from "./board.js";
import { h } from "./dom.js";

/** `hands`: as for a board. `show(found, …)`: what the room's `scene` gave; it is unfolded when it begins. */
export function scene(hands) {
  const drawing = board(hands), title = h("summary");
  const element = h("details", { class: "scene", open: true, hidden: true }, title, drawing.element);
  return {
    element, board: drawing,
    show(found, places, drags) {
      if (found && element.hidden) element.open = true;
      element.hidden = !found;
      title.textContent = found?.title ?? "";
      drawing.show(found?.drawing ?? "", found ? places : undefined, drags);
    },
  };
}
