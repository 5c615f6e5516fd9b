// How a game is played, in a dialog of its own.

import { attempt, h } from "./dom.js";

const HEADINGS = { "#": "h2", "##": "h3" };

/** Headings, paragraphs and lists of plain Markdown as elements; everything else in it stays text. */
export function guide(text) {
  return text.split(/\n\s*\n/).flatMap((block) => {
    const parts = [];
    for (const line of block.split("\n").filter((some) => some.trim())) {
      const [, mark, words] = /^(#{1,2}|-) +(.*)/.exec(line) ?? [null, "", line.trim()];
      const before = parts.at(-1);
      if (HEADINGS[mark]) parts.push(h(HEADINGS[mark], {}, words));
      else if (mark && before?.localName === "ul") before.append(h("li", {}, words));
      else if (mark) parts.push(h("ul", {}, h("li", {}, words)));
      else if (before && !/^h/.test(before.localName)) (before.lastElementChild ?? before).append(` ${words}`);
      else parts.push(h("p", {}, words));
    }
    return parts;
  });
}

/** A button that opens the rules in short; `ask` gives the rulebook as GetRulebook does, or a promise of it. */
export function howToPlay(ask, label = "How to play") {
  return h("button", { class: "plain how-to-play", type: "button", "aria-haspopup": "dialog", onclick: () => attempt(async () => open(await ask())) }, label);
}

function open({ title, how_to_play: text = "" }) {
  if (document.querySelector("dialog.guide")) return;  // asked for twice before the answer came
  const close = () => dialog.close();
  const dialog = h("dialog", {
    class: "guide", "aria-label": `How to play ${title}`,
    onclose: () => dialog.remove(),
    // Escape closes the dialog, and takes nothing back on the page behind it.
    onkeydown: (happening) => happening.stopPropagation(),
    onclick: (happening) => { if (happening.target === dialog) close(); },
  }, h("article", {}, h("button", { class: "close", type: "button", onclick: close }, "Close"), guide(text)));
  document.body.append(dialog);
  dialog.showModal();
}
