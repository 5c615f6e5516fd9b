// Legal commands as buttons and forms. Knows no game: everything is in the entries.

import { h } from "./dom.js";

const KINDS = [["COMMAND_KIND_MOVE", "Your moves"], ["COMMAND_KIND_TRADE", "Trade"], ["COMMAND_KIND_TALK", "Talk"]];
const MANY = 12;

/** The list of what may be done. `submit(entry, command)` is called with the command to send. */
export function commandList(legal, submit, targetOf = () => undefined) {
  const parts = [];
  for (const [kind, title] of KINDS) {
    const entries = legal.filter((entry) => entry.kind === kind);
    if (!entries.length) continue;
    const list = h("div", { class: "commands" }, entries.map((entry) => commandElement(entry, submit, targetOf)));
    const folded = entries.length > MANY && kind === "COMMAND_KIND_MOVE";
    parts.push(h("details", { class: "kind", open: !folded && kind !== "COMMAND_KIND_TALK" }, h("summary", {}, `${title} (${entries.length})`), list));
  }
  return parts;
}

function commandElement(entry, submit, targetOf) {
  const text = entry.label?.text || entry.label?.key;
  if (!entry.parameters?.length)
    return h("button", { class: "command", onclick: () => submit(entry, entry.prototype), onmouseenter: () => targetOf(entry), onfocus: () => targetOf(entry) }, text);
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
