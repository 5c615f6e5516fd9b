// Legal commands as buttons and forms. Knows no game: everything is in the entries.

import { h } from "./dom.js";

const KINDS = [["COMMAND_KIND_MOVE", "Your moves"], ["COMMAND_KIND_TRADE", "Trade"], ["COMMAND_KIND_TALK", "Talk"]];
const MANY = 12;
const LISTED = 30;

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
  const search = h("input", { type: "search", placeholder: "Find", "aria-label": `Find in ${title}`, hidden: true, oninput: () => sift() });
  const element = h("details", { class: "kind", hidden: true }, summary, search, list);
  let shown = new Map();
  const sift = () => {
    const sought = search.hidden ? "" : search.value.toLowerCase();
    for (const child of list.children) child.hidden = !child.textContent.toLowerCase().includes(sought);
  };
  const show = (legal) => {
    const entries = legal.filter((entry) => entry.kind === kind);
    const before = shown;
    if (element.hidden) element.open = kind !== "COMMAND_KIND_TALK" && entries.length <= MANY;
    element.hidden = !entries.length;
    summary.textContent = `${title} (${entries.length})`;
    shown = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
    for (const [key, entry] of shown) shown.set(key, before.get(key) ?? make(entry));
    place(list, [...shown.values()]);
    search.hidden = entries.length <= MANY;
    sift();
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

/** What an entry is called. */
export const words = (entry) => entry.label?.text || entry.label?.key || "";

function commandElement(entry, submit, pointAt) {
  if (!entry.parameters?.length)
    return h("button", { class: "command", onclick: () => submit(entry, entry.prototype), onmouseenter: () => pointAt(entry), onfocus: () => pointAt(entry) }, words(entry));
  return h("details", { class: "command", ontoggle: () => pointAt(entry) }, h("summary", {}, words(entry)), form(entry, submit).element);
}

/** A form for an entry with parameters. `touch(id)`: choose what has this id on the board; false where it isn't on offer. */
export function form(entry, submit) {
  const fields = entry.parameters.map(field);
  const check = () => fields.forEach(({ check: one }) => one?.());
  const element = h("form", {
    class: "parameters",
    oninput: check,
    onsubmit: (happening) => {
      happening.preventDefault();
      const command = structuredClone(entry.prototype);
      fields.forEach(({ read }) => read(command));
      submit(entry, command);
    },
  }, fields.map((one) => one.element), h("button", { class: "primary" }, "Do it"));
  check();
  const touch = (id) => {
    const taken = fields.some((one) => one.touch?.(id));
    if (taken) check();
    return taken;
  };
  return { element, touch };
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
  if (parameter.choices) return (parameter.choices.maximum ?? 1) === 1 ? choiceField(parameter, text, set) : choicesField(parameter, text, set);
  if (parameter.multiset) return multisetField(parameter, text, set);
  const input = h("input", { maxlength: parameter.text?.maximum_characters });
  return { element: h("label", {}, text, input), read: (command) => input.value && set(command, input.value) };
}

function rangeField({ range, optional }, text, set) {
  const low = Number(range.minimum ?? 0), high = Number(range.maximum ?? 0);
  const read = (input) => (command) => input.value !== "" && set(command, Number(input.value));
  if (high - low > LISTED) {
    const input = h("input", { type: "number", min: low, max: high, required: !optional, value: optional ? "" : low });
    return { element: h("label", {}, `${text} (${low}–${high})`, input), read: read(input) };
  }
  const values = Array.from({ length: high - low + 1 }, (_, index) => String(low + index));
  const input = h("select", {}, (optional ? ["", ...values] : values).map((value) => h("option", { value }, value || "–")));
  return { element: h("label", {}, text, input), read: read(input) };
}

function choiceField({ choices, optional }, text, set) {
  const none = optional || !choices.minimum ? [h("option", { value: "" }, "–")] : [];
  const input = h("select", {}, none, choices.choices.map((choice) => h("option", { value: choice.id }, choice.label?.text || choice.id)));
  const touch = (id) => {
    if (!choices.choices.some((choice) => choice.id === id)) return false;
    input.value = id;
    return true;
  };
  return { element: h("label", {}, text, input), touch, read: (command) => input.value && set(command, choices.is_list ? [input.value] : input.value) };
}

function choicesField({ choices, optional }, text, set) {
  const least = optional ? 0 : choices.minimum ?? 0, most = choices.maximum;
  const boxes = new Map(choices.choices.map((choice) => [choice.id, h("input", { type: "checkbox" })]));
  const picked = () => [...boxes].filter(([, box]) => box.checked).map(([id]) => id);
  const element = h("fieldset", {}, h("legend", {}, `${text} (${bounds(least, most)})`),
    choices.choices.map((choice) => h("label", { class: "check" }, boxes.get(choice.id), choice.label?.text || choice.id)));
  return {
    element,
    touch: (id) => {
      const box = boxes.get(id);
      if (box) box.checked = !box.checked;
      return Boolean(box);
    },
    check: () => hold([...boxes.values()][0], within(picked().length, least, most) || (optional && !picked().length), `Choose ${bounds(least, most)}, please.`),
    read: (command) => picked().length && set(command, picked()),
  };
}

function multisetField({ multiset, optional }, text, set) {
  const least = multiset.minimum_sum ?? 0, most = multiset.maximum_sum ?? 0;
  const inputs = new Map(multiset.items.map((item) => [item.id, h("input", { type: "number", min: 0, max: item.maximum ?? 0, value: 0, inputmode: "numeric" })]));
  const sum = () => [...inputs.values()].reduce((all, input) => all + Number(input.value), 0);
  const total = h("output", {}), first = [...inputs.values()][0];
  const add = (input, by) => () => {
    input.value = Math.min(Math.max(Number(input.value) + by, 0), Number(input.max));
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const row = (item) => {
    const input = inputs.get(item.id), name = item.label?.text || item.id;
    const step = (sign, by) => h("button", { type: "button", class: "step", "aria-label": `${name}: ${by > 0 ? "one more" : "one less"}`, onclick: add(input, by) }, sign);
    return h("div", { class: "row count" }, step("−", -1), h("label", { class: "check" }, input, `${name} (${item.maximum ?? 0} at most)`), step("+", 1));
  };
  return {
    element: h("fieldset", {}, h("legend", {}, `${text}: ${bounds(least, most)} in all, now `, total), multiset.items.map(row)),
    touch: (id) => {
      if (!inputs.has(id)) return false;
      add(inputs.get(id), 1)();
      return true;
    },
    check: () => {
      total.textContent = String(sum());
      hold(first, within(sum(), least, most) || (optional && !sum()), `Together they must be ${bounds(least, most)}.`);
    },
    read: (command) => sum() && set(command, [...inputs].map(([id, input]) => ({ id, count: Number(input.value) })).filter(({ count }) => count)),
  };
}

const bounds = (least, most) => (least === most ? String(most) : `${least}–${most}`);
const within = (value, least, most) => value >= least && value <= most;

/** A form isn't sent while something is wrong with it. */
const hold = (input, right, problem) => input?.setCustomValidity(right ? "" : problem);
