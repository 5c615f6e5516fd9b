// The mountain: view → SVG as a text. Ids: every space, room, entrance and box by its own id, seat-N, card-ID, key-N.
const NS = "http://www.w3.org/2000/svg";
const SIDE = 12;

function rect(id, x, y, width, height, kind, board, label) {
  const top = (board.height - y - height) * SIDE;
  const text = label ? `<text x="${(x + width / 2) * SIDE}" y="${top + (height * SIDE) / 2 + 3}" text-anchor="middle" font-size="7">${label}</text>` : "";
  return `<g id="${id}" class="${kind}"><rect x="${x * SIDE}" y="${top}" width="${width * SIDE}" height="${height * SIDE}" fill="${
    { square: "#e8dcc0", room: "#b99a6b", entrance: "#7d8aa5", box: "#8d7b94", river: "#6fa3c7" }[kind]
  }" stroke="#5b4a2f" stroke-width="0.5"/>${text}</g>`;
}

export function draw(view) {
  const board = view.board;
  const drawn = new Set();
  const parts = (board.river || []).map((y) => rect(`river-${y}`, 0, y, board.width, 1, "river", board));
  for (const line of board.passages || []) {
    const [x1, y1, x2, y2] = [line.x1 || 0, line.y1 || 0, line.x2 || 0, line.y2 || 0];
    for (let x = Math.min(x1, x2); x <= Math.max(x1, x2); x += 1) {
      for (let y = Math.min(y1, y2); y <= Math.max(y1, y2); y += 1) {
        const id = `c${x}_${y}`;
        if (!drawn.has(id)) parts.push(rect(id, x, y, 1, 1, "square", board));
        drawn.add(id);
      }
    }
  }
  for (const room of board.rooms || []) parts.push(rect(room.id, room.x || 0, room.y || 0, room.width, room.height, "room", board, room.id.slice(2)));
  for (const spot of board.entrances || []) parts.push(rect(spot.id, spot.x || 0, spot.y || 0, 1, 1, "entrance", board, spot.id));
  for (const box of board.boxes || []) parts.push(rect(box.id, box.x || 0, box.y || 0, 1, 1, "box", board, box.id));
  return `<svg xmlns="${NS}" viewBox="0 0 ${board.width * SIDE} ${board.height * SIDE}" role="img">${parts.join("")}</svg>`;
}

export function tell(event) {
  const [kind] = Object.keys(event);
  return (kind || "").replaceAll("_", " ");
}
