// Legal commands as buttons and forms. Knows no game: everything is in the entries.

import { h } from "./dom.js";

const KINDS = [["COMMAND_KIND_MOVE", "Your moves"], ["COMMAND_KIND_TRADE", "Trade"], ["COMMAND_KIND_TALK", "Talk"]];
const MANY = 12;

/**
 * The panel of what may be done. `submit(entry, command)` is called with the command to send, `pointAt(entry)` when an
 * entry is looked at. `show(legal)` leaves alone what hasn't changed: a form may be half filled in while others act.
 */
export function commandPanel(submit, pointAt) {
  const kinds = KINDS.map(([kind, title]) => kindPanel(kind, title, (entry) => commandElement(entry, submit, pointAt)));
  return { element: h("div", {}, kinds.map(({ element }) => element)), show: (legal) => kinds.forEach(({ show }) => show(legal)) };
}

function kindPanel(kind, title, make) {
  const summary = h("summary"), list = h("div", { class: "commands" });
  const element = h("details", { class: "kind", hidden: true }, summary, list);
  let shown = new Map();
  const show = (legal) => {
    const entries = legal.filter((entry) => entry.kind === kind);
    const before = shown;
    if (element.hidden) element.open = kind !== "COMMAND_KIND_TALK" && entries.length <= MANY;
    element.hidden = !entries.length;
    summary.textContent = `${title} (${entries.length})`;
    shown = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
    for (const [key, entry] of shown) shown.set(key, before.get(key) ?? make(entry));
    place(list, [...shown.values()]);
  };
  return { element, show };
}

/** Make these the children, in this order; what stays isn't touched and keeps the focus. What was unfolded stays so. */
function place(list, children) {
  const staying = new Set(children);
  const open = new Set();
  for (const child of [...list.children]) {
    if (staying.has(child)) continue;
    if (child.open) open.add(titleOf(child));
    child.remove();
  }
  children.forEach((child, index) => {
    if (list.children[index] === child) return;
    if (child.tagName === "DETAILS" && open.has(titleOf(child))) child.open = true;
    list.insertBefore(child, list.children[index] ?? null);
  });
}

const titleOf = (child) => child.querySelector("summary")?.textContent;

function commandElement(entry, submit, pointAt) {
  const text = entry.label?.text || entry.label?.key;
  if (!entry.parameters?.length)
    return h("button", { class: "command", onclick: () => submit(entry, entry.prototype), onmouseenter: () => pointAt(entry), onfocus: () => pointAt(entry) }, text);
  return h("details", { class: "command" }, h("summary", {}, text), form(entry, submit));
}

/** A form for an entry with parameters. */
export function form(entry, submit) {
  const fields = entry.parameters.map(field);
  return h("form", {
    class: "parameters",
    onsubmit: (happening) => {
      happening.preventDefault();
      const command = structuredClone(entry.prototype);
      fields.forEach(({ read }) => read(command));
      submit(entry, command);
    },
  }, fields.map(({ element }) => element), h("button", {}, "Do it"));
}

/** Put a value at a path like "make_claim.gold". */
function put(command, path, value) {
  const parts = path.split(".");
  const name = parts.pop();
  let at = command;
  for (const part of parts) at = at[part] ??= {};
  at[name] = value;
}

function field(parameter) {
  const text = parameter.label?.text || parameter.path;
  const set = (command, value) => put(command, parameter.path, value);
  if (parameter.range) return rangeField(parameter, text, set);
  if (parameter.choices) return choiceField(parameter, text, set);
  if (parameter.multiset) return multisetField(parameter, text, set);
  const input = h("input", { maxlength: parameter.text?.maximum_characters });
  return { element: h("label", {}, text, input), read: (command) => input.value && set(command, input.value) };
}

function rangeField({ range, optional }, text, set) {
  const low = Number(range.minimum ?? 0), high = Number(range.maximum ?? 0);
  const options = [];
  if (optional) options.push(h("option", { value: "" }, "–"));
  for (let value = low; value <= high && options.length < 200; value += 1) options.push(h("option", { value: String(value) }, String(value)));
  const input = h("select", {}, options);
  return { element: h("label", {}, text, input), read: (command) => input.value !== "" && set(command, Number(input.value)) };
}

function choiceField({ choices, optional }, text, set) {
  const most = choices.maximum ?? 1;
  if (most === 1) {
    const none = optional || !choices.minimum ? [h("option", { value: "" }, "–")] : [];
    const input = h("select", {}, none, choices.choices.map((choice) => h("option", { value: choice.id }, choice.label?.text || choice.id)));
    return { element: h("label", {}, text, input), read: (command) => input.value && set(command, input.value) };
  }
  const boxes = choices.choices.map((choice) => [choice.id, h("input", { type: "checkbox" }), choice.label?.text || choice.id]);
  const element = h("fieldset", {}, h("legend", {}, `${text} (${choices.minimum ?? 0}–${most})`), boxes.map(([, box, words]) => h("label", { class: "check" }, box, words)));
  return { element, read: (command) => set(command, boxes.filter(([, box]) => box.checked).map(([id]) => id)) };
}

function multisetField({ multiset }, text, set) {
  const rows = multiset.items.map((item) => [item.id, h("input", { type: "number", min: 0, max: item.maximum, value: 0 }), item.label?.text || item.id]);
  const element = h("fieldset", {}, h("legend", {}, `${text} (${multiset.minimum_sum ?? 0}–${multiset.maximum_sum ?? 0} in all)`), rows.map(([, input, words]) => h("label", {}, words, input)));
  const read = (command) => set(command, rows.map(([id, input]) => ({ id, count: Number(input.value) })).filter(({ count }) => count));
  return { element, read };
}
