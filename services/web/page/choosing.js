// From what was touched on a board to the commands that it may mean. Knows no game; no document.

const TALK = "COMMAND_KIND_TALK";

/** Every id that leads to an entry: what it touches, and what its choices and counts offer. */
export const reach = (entry) => [...(entry.targets ?? []), ...offered(entry)];

const offered = (entry) => (entry.parameters ?? []).flatMap(({ choices, multiset }) => (choices?.choices ?? multiset?.items ?? []).map(({ id }) => id));

/**
 * What may be meant after the ids of `chosen` were touched, in any order.
 * `complete`: entries whose last target (where they go to) was touched; `open`: entries that still need one.
 * Talk is meant only where nothing else is.
 */
export function meant(legal, chosen) {
  if (!chosen.length) return { complete: [], open: [] };
  const fitting = legal.filter((entry) => chosen.every((id) => reach(entry).includes(id)));
  const moves = fitting.filter((entry) => entry.kind !== TALK);
  const pool = moves.length ? moves : fitting;
  const complete = pool.filter(({ targets }) => !targets?.length || chosen.includes(targets.at(-1)));
  const begun = pool.filter((entry) => !complete.includes(entry) && chosen.includes(entry.targets[0]));
  return { complete, open: begun.length || complete.length ? begun : pool };
}

/** What is chosen after one more touch: a second touch takes it back; what doesn't go together begins anew. */
export function touched(legal, chosen, id) {
  if (chosen.includes(id)) return chosen.filter((one) => one !== id);
  const { complete, open } = meant(legal, [...chosen, id]);
  if (complete.length || open.length) return [...chosen, id];
  return legal.some((entry) => reach(entry).includes(id)) ? [id] : chosen;
}

/** The ids that may be touched next. */
export const following = ({ complete, open }, chosen) => new Set([...complete, ...open].flatMap(reach).filter((id) => !chosen.includes(id)));
