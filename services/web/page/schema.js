// A form for a rulebook's options, from their JSON schema.

import { h, words } from "./dom.js";

/** {element, read}: the form's fields, and what they say as proto-JSON. */
export function optionFields(schema, seats) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, about]) => optionField(name, about, seats));
  return {
    element: h("div", { class: "options" }, fields.map(({ element }) => element)),
    read: () => Object.assign({}, ...fields.map(({ read }) => read())),
  };
}

function optionField(name, about, seats) {
  const title = about.title || words(name);
  const hint = about.description && h("small", { class: "quiet" }, about.description);
  const wrap = (input) => h("label", {}, title, input, hint);
  if (about.type === "boolean") {
    const input = h("input", { type: "checkbox", checked: about.default === true });
    return { element: h("div", {}, h("label", { class: "check" }, input, title), hint), read: () => (input.checked ? { [name]: true } : {}) };
  }
  if (about.enum || about.oneOf) {
    const choices = about.enum ? about.enum.map((value) => [value, words(String(value).toLowerCase())]) : about.oneOf.map((one) => [one.const, one.title]);
    const input = h("select", {}, choices.map(([value, text]) => h("option", { value: String(value) }, text)));
    if (about.default !== undefined) input.value = String(about.default);
    const typed = about.type === "integer" ? Number : String;
    return { element: wrap(input), read: () => ({ [name]: typed(input.value) }) };
  }
  if (about.type === "integer" || about.type === "number") {
    const most = Math.min(about.maximum ?? seats, 1000);
    const input = h("input", { type: "number", min: about.minimum ?? 0, max: most, value: about.default ?? about.minimum ?? 0 });
    return { element: wrap(input), read: () => (Number(input.value) ? { [name]: Number(input.value) } : {}) };
  }
  const input = h("input", { value: about.default ?? "" });
  return { element: wrap(input), read: () => (input.value ? { [name]: input.value } : {}) };
}
