// Beast Hunter on the page: view → SVG. No assets, no globals, no text from outside that isn't escaped.

const escape = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function draw(view, { legal = [], seat = 0, highlight = [], names = {} } = {}) {
  const lines = [
    `Day ${Number(view.days_crossed ?? 0) + 1}, hit points ${view.hit_points ?? 0}, doubt ${view.doubt ?? 0}`,
    ...(view.regions ?? []).map((region) => `${region.title}: ${region.tracked ?? 0} circles`),
    `Score ${view.total ?? 0}`,
  ];
  const rows = lines.map((line, index) => `<text x="10" y="${24 + 20 * index}" font-size="14">${escape(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 160" role="group">${rows.join("")}</svg>`;
}

export function tell(event) {
  return Object.keys(event)[0]?.replaceAll("_", " ") ?? "";
}
