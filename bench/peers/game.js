// Tempel des Schreckens for boardgame.io: the same cards, redeals, talk, ends and secrets as our rulebook, without options.
const { Stage } = require('boardgame.io/core');

const CHAMBERS = { 3: [8, 5, 2], 4: [12, 6, 2], 5: [16, 7, 2], 6: [20, 8, 2], 7: [26, 7, 2], 8: [30, 8, 2], 9: [34, 9, 2], 10: [37, 10, 3] };
const ADVENTURERS = { 3: 2, 4: 3, 5: 3, 6: 4, 7: 5, 8: 6, 9: 6, 10: 7 };
const GUARDIANS = { 3: 2, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4 };
const ROUNDS = 4;
const TALKS = 3;
const INVALID_MOVE = 'INVALID_MOVE';

function deck([empty, gold, fire]) {
  return [...Array(empty).fill('empty'), ...Array(gold).fill('gold'), ...Array(fire).fill('fire')];
}

function deal(counts, round, seats, random) {
  const each = 6 - round;
  const cards = random.Shuffle(deck(counts));
  return Array.from({ length: seats }, (_, seat) =>
    random.Shuffle(cards.slice(seat * each, (seat + 1) * each)).map((chamber) => ({ chamber, open: false })));
}

function setup({ ctx, random }) {
  const seats = ctx.numPlayers;
  const pack = [...Array(ADVENTURERS[seats]).fill('adventurer'), ...Array(GUARDIANS[seats]).fill('guardian')];
  const roles = random.Shuffle(pack);
  return {
    round: 1, key: 0, roles: roles.slice(0, seats), rows: deal(CHAMBERS[seats], 1, seats, random),
    opened: { empty: 0, gold: 0, fire: 0 }, openings: [], points: [], talks: Array(seats).fill(0), ending: null,
  };
}

function openChamber({ G, ctx, random, playerID }, owner, slot) {
  const me = Number(playerID);
  if (me !== G.key || owner === me || !G.rows[owner] || !G.rows[owner][slot] || G.rows[owner][slot].open) return INVALID_MOVE;
  const { chamber } = G.rows[owner][slot];
  G.rows[owner][slot].open = true;
  G.opened[chamber] += 1;
  G.openings.push({ round: G.round, by: me, owner, slot, chamber });
  G.key = owner;
  G.points = [];
  G.talks = G.talks.map(() => 0);
  const [empty, gold, fire] = CHAMBERS[ctx.numPlayers];
  const total = G.openings.length;
  if (G.opened.gold === gold) G.ending = 'ALL_GOLD';
  else if (G.opened.fire === fire) G.ending = 'ALL_FIRE';
  else if (total === ROUNDS * ctx.numPlayers) G.ending = 'TIME_UP';
  else if (total === G.round * ctx.numPlayers) {
    G.round += 1;
    G.rows = deal([empty - G.opened.empty, gold - G.opened.gold, fire - G.opened.fire], G.round, ctx.numPlayers, random);
  }
  return undefined;
}

function pointAt({ G, playerID }, owner) {
  const me = Number(playerID);
  if (G.talks[me] >= TALKS || !G.rows[owner] || !G.rows[owner].some((card) => !card.open)) return INVALID_MOVE;
  G.talks[me] += 1;
  G.points = [...G.points.filter((point) => point.seat !== me), { seat: me, owner }];
  return undefined;
}

// Everybody may talk, and the key goes where the rules say: so all seats are active, and the moves check the rest.
const game = {
  name: 'tempel',
  setup,
  moves: {
    openChamber: { move: openChamber, client: false },
    pointAt: { move: pointAt, client: false },
  },
  turn: { activePlayers: { all: Stage.NULL } },
  endIf: ({ G }) => (G.ending ? { reason: G.ending } : undefined),
  playerView: ({ G, playerID }) => ({
    ...G,
    roles: G.roles.map((role, seat) => (G.ending || String(seat) === playerID ? role : null)),
    rows: G.rows.map((row) => row.map((card) => (card.open ? card : { open: false }))),
  }),
  disableUndo: true,
};

// (seat, move, arguments) of a whole match by public facts alone, as bench/openings.py plays it.
function* commands(seats) {
  let key = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const dealt = 6 - round;
    const closed = Array(seats).fill(dealt);
    for (let opening = 0; opening < seats; opening += 1) {
      let owner = (key + 1) % seats;
      while (closed[owner] === 0 || owner === key) owner = (owner + 1) % seats;
      yield [key, 'pointAt', [owner]];
      yield [key, 'openChamber', [owner, dealt - closed[owner]]];
      closed[owner] -= 1;
      key = owner;
    }
  }
}

module.exports = { game, commands };
