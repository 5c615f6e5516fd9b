// The local reducer: for each number on standard input, plays so many matches over all numbers of seats; prints moves and
// the processor's seconds for them, set-up not counted.
process.env.NODE_ENV = 'production';
const { CreateGameReducer, InitializeGame } = require('boardgame.io/internal');
const { game, commands } = require('./game.js');

function played(seats) {
  const reducer = CreateGameReducer({ game });
  let state = InitializeGame({ game, numPlayers: seats });
  let moves = 0;
  const began = process.cpuUsage();
  for (const [seat, type, args] of commands(seats)) {
    if (type === 'pointAt') continue; // our side plays moves only, too
    const before = state._stateID;
    state = reducer(state, { type: 'MAKE_MOVE', payload: { type, args, playerID: String(seat) } });
    if (state._stateID === before) throw new Error(`refused: ${type} ${args}`);
    moves += 1;
    if (state.ctx.gameover) break;
  }
  const { user, system } = process.cpuUsage(began);
  return [moves, (user + system) / 1e6];
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let [moves, seconds] = [0, 0];
  for (let match = 0; match < Number(line); match += 1) {
    const [some, took] = played(3 + (match % 8));
    moves += some;
    seconds += took;
  }
  console.log(`${moves} ${seconds}`);
});
