// Clients of boardgame.io's server: node load.js URL LANES; each lane plays one match after the other, a socket for each
// seat. For each line "SECONDS" on standard input the lanes play so long; prints moves a second. A move is over when every
// seat has been sent its state, as on our side.
const { io } = require('socket.io-client');
const { commands } = require('./game.js');

const SEATS = 3;
const [url, lanes] = [process.argv[2], Number(process.argv[3])];
let open = false;
let waiting = [];
let count = 0;
let matches = 0;

const passed = () => (open ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)));

class Seat {
  constructor(matchID, playerID) {
    this.matchID = matchID;
    this.playerID = playerID;
    this.stateID = -1;
    this.over = false;
    this.news = () => {};
    this.socket = io(`${url}/tempel`, { transports: ['websocket'], forceNew: true });
    this.socket.on('sync', (_, sync) => this.take(sync.state));
    this.socket.on('update', (_, state) => this.take(state));
    this.socket.on('connect', () => this.socket.emit('sync', matchID, playerID, undefined, SEATS));
  }

  take(state) {
    this.stateID = state._stateID;
    this.over = state.ctx.gameover !== undefined;
    this.news();
  }

  async shown(stateID) {
    while (this.stateID < stateID) await new Promise((resolve) => { this.news = resolve; });
    return !this.over;
  }
}

async function lane() {
  for (;;) {
    matches += 1;
    const matchID = `bench${process.pid}x${matches}`;
    const seats = [];
    for (let seat = 0; seat < SEATS; seat += 1) {
      seats.push(new Seat(matchID, String(seat)));
      await seats[seat].shown(0);
    }
    for (const [seat, type, args] of commands(SEATS)) {
      await passed();
      const { stateID, playerID } = seats[seat];
      const action = { type: 'MAKE_MOVE', payload: { type, args, playerID } };
      seats[seat].socket.emit('update', action, stateID, matchID, playerID);
      const on = await Promise.all(seats.map((other) => other.shown(stateID + 1)));
      count += 1;
      if (!on.every(Boolean)) break;
    }
    seats.forEach((seat) => seat.socket.disconnect());
  }
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [before, began] = [count, process.hrtime.bigint()];
  open = true;
  waiting.forEach((resolve) => resolve());
  waiting = [];
  setTimeout(() => {
    open = false;
    console.log((count - before) / (Number(process.hrtime.bigint() - began) / 1e9));
  }, Number(line) * 1000);
});
for (let number = 0; number < lanes; number += 1) lane();
console.log('ready');
