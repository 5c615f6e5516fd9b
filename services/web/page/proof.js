// "Is it true?": the server's checks, the promise that this browser kept, and the record to check elsewhere.

import { call, messages, promises } from "./api.js";
import { attempt, awaited, h, last } from "./dom.js";

const REVEALED = { code: "FAILED_PRECONDITION", tries: 40, wait_ms: 300 };

/** The panel for a replay. */
export function proof(about, signal) {
  const body = h("div", { id: "proof", "aria-live": "polite" }, h("p", { class: "quiet" }, "Checking …"));
  attempt(async () => body.replaceChildren(...(await checks(about, body, signal))));
  return h("section", { class: "card" }, h("h2", {}, "Is it true?"), body);
}

async function checks(about, body, signal) {
  const answer = await awaited(() => call("ReplayService/VerifyReplay", { name: about.name }, { signal }), REVEALED, body, "The seed is revealed a moment after the end.");
  const found = [...(answer.checks ?? [])];
  const kept = promises.of(last(about.name));
  if (kept) found.push(await promiseKept(about.name, kept.commitment, signal));
  const holds = answer.holds && found.every((check) => check.holds);
  const where = Number(answer.broken_sequence) ? `✗ Broken at move ${answer.broken_sequence}` : "✗ It can't be shown here that this match holds";
  const broken = answer.holds ? "✗ This is not the match that was promised" : where;
  return [
    h("p", { class: holds ? "holds" : "broken", id: "verdict" }, holds ? "✓ This match verifies" : broken),
    h("ul", { class: "checks" }, found.map(line)),
    h("div", { class: "row" }, h("button", { onclick: () => attempt(() => download(about, signal)) }, "Download the record"),
      kept && h("button", { id: "receipt", onclick: () => save(JSON.stringify(kept, null, 1), `${last(about.name)}.receipt.json`) }, "Download your receipt")),
    h("p", { class: "quiet" }, "To trust nobody, download the record and run ",
      h("code", {}, `ludolog verify ${last(about.name)}.jsonl${kept ? ` --receipt ${last(about.name)}.receipt.json` : ""}`), "."),
  ];
}

/** Is the record's seed the one whose commitment this browser has kept since before the match? Computed here. */
async function promiseKept(name, commitment, signal) {
  const check = { name: "your promise" };
  if (!crypto.subtle) return { ...check, holds: true, unknown: true, detail: "kept, but pages over plain HTTP can't compute it: use the command below" };
  const lines = new TextDecoder().decode(await record(name, signal)).trim().split("\n").map((one) => JSON.parse(one));
  const seed = lines.find((one) => one.seed)?.seed ?? "";
  const mine = hex(bytes(commitment));
  const holds = (await committed(seed)) === mine;
  return { ...check, holds, detail: `${mine.slice(0, 16)}… was kept by this browser since before the match, ${holds ? "and the seed fits it" : "but the seed is another"}` };
}

/** SHA-256(u32(length of the domain) ‖ domain ‖ seed), docs/fairness.md; hex to hex. */
async function committed(seed) {
  const domain = new TextEncoder().encode("ludolog/commitment/v1");
  const secret = Uint8Array.from(seed.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const text = new Uint8Array([0, 0, 0, domain.length, ...domain, ...secret]);
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}

const line = ({ holds, unknown, name, detail }) =>
  h("li", { class: unknown ? "quiet" : holds ? "holds" : "broken" }, h("b", {}, `${unknown ? "?" : holds ? "✓" : "✗"} ${name}`), " ", h("span", { class: "quiet" }, detail));

const bytes = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

const hex = (all) => Array.from(all, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The record file. */
async function record(name, signal) {
  const parts = [];
  for await (const part of messages("ReplayService/ExportReplay", { name }, signal)) parts.push(bytes(part.chunk));
  return new Blob(parts).arrayBuffer();
}

const download = async (about, signal) => save(await record(about.name, signal), `${last(about.name)}.jsonl`);

function save(content, name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
